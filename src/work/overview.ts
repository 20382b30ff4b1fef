import type { Counts, Created, Pulse } from '#store/figures/pulse';
import type { Store } from '#store/store';

export type { Counts, Created, Pulse };

/** What the dashboard says of a team at a glance. */
export interface OverviewWork {
  readPulse(teamId: string): Promise<Pulse>;
  readCounts(teamId: string): Promise<Counts>;
  /** The first cron or job made at `since` (milliseconds) or later; null: none yet. */
  findFirstCreatedSince(teamId: string, since: number): Promise<Created | null>;
}

export function createOverviewWork({ pulse }: Store): OverviewWork {
  return {
    readPulse: (teamId) => pulse.readPulse(teamId),
    readCounts: (teamId) => pulse.readCounts(teamId),
    findFirstCreatedSince: (teamId, since) => pulse.findFirstCreatedSince(teamId, since),
  };
}
