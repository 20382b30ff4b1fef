/** bundle.ts replaces it by `build/dashboard/server/index.js`. */
declare module 'belfry:dashboard-server' {
  import type { ServerBundle } from '#dashboard/build';
  const bundle: ServerBundle;
  export = bundle;
}
