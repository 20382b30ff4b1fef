import type { OwnCommand } from '#cli/services';
import type { DashboardBuild } from '#dashboard/build';

/** What a package has in it that sources have beside them, or not at all. */
export interface Packaged {
  dashboard: DashboardBuild;
  commands: readonly OwnCommand[];
}
