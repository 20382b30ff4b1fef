import type { Config } from '@react-router/dev/config';

export default {
  appDirectory: 'src/dashboard',
  // bin/build-dashboard.js builds beside the running copy and then swaps the two.
  buildDirectory: process.env['DASHBOARD_BUILD_DIRECTORY'] ?? 'build/dashboard',
  // Every route is in the first answer's manifest: no second address that tells which pages exist.
  routeDiscovery: { mode: 'initial' },
} satisfies Config;
