import type { OwnCommand } from '#cli/services';
import type { DashboardBuild } from '#dashboard/build';

/** The parts of a package that a checkout does not contain, or has as files. */
export interface Packaged {
  dashboard: DashboardBuild;
  commands: readonly OwnCommand[];
}
