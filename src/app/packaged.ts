import type { OwnCommand } from '#cli/services';
import type { DashboardBuild } from '#dashboard/build';

/** Parts of a package that a checkout lacks, or has as files. */
export interface Packaged {
  dashboard: DashboardBuild;
  commands: readonly OwnCommand[];
}
