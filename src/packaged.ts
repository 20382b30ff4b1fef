import type { OwnCommand } from '#cli/services';
import type { DashboardBuild } from '#dashboard/build';

/** The parts of a package that sources do not contain, or have as files beside them. */
export interface Packaged {
  dashboard: DashboardBuild;
  commands: readonly OwnCommand[];
}
