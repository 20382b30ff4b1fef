import type { Counts, Created, Attention } from '#store/figures/team-counts';
import type { Store } from '#store/store';

export type { Counts, Created, Attention };

/** The overview of a team on the dashboard. */
export interface OverviewWork {
  readAttention(teamId: string): Promise<Attention>;
  readCounts(teamId: string): Promise<Counts>;
  /** The first cron or job made at `since` (milliseconds) or later; null: none yet. */
  findFirstCreatedSince(teamId: string, since: number): Promise<Created | null>;
}

export function createOverviewWork({ teamCounts }: Store): OverviewWork {
  return {
    readAttention: (teamId) => teamCounts.readAttention(teamId),
    readCounts: (teamId) => teamCounts.readCounts(teamId),
    findFirstCreatedSince: (teamId, since) => teamCounts.findFirstCreatedSince(teamId, since),
  };
}
