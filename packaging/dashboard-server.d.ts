/** `build/dashboard/server/index.js`, which bundle.ts puts in the place of this name. */
declare module 'belfry:dashboard-server' {
  import type { ServerBundle } from '#dashboard/build';
  const bundle: ServerBundle;
  export = bundle;
}
