import type { DashboardBuild } from '#dashboard/build';
import { listParts, readPart } from './parts.ts';

const FOLDER = 'dashboard';

/** Its server is in the bundle; the browser's files are parts of the package. */
export const packagedDashboard: DashboardBuild = {
  loadServer: () => import('belfry:dashboard-server'),
  readFiles: () =>
    Promise.resolve(
      new Map(listParts(FOLDER).map((name) => [name.slice(FOLDER.length + 1), readPart(name)])),
    ),
};
