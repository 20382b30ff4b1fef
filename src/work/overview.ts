import { type Forecast, forecastUsage } from '#domain/usage-forecast';
import type { Counts, Created, Attention } from '#store/figures/team-counts';
import type { Store } from '#store/store';
import { readOverview } from './overview-page.ts';

export type { Counts, Created, Attention, Forecast };

export function createOverviewWork(store: Store) {
  const { teamCounts, crons, clock } = store;
  return {
    readOverview: (teamId: string) => readOverview(store, teamId),
    readAttention: (teamId: string) => teamCounts.readAttention(teamId),
    readCounts: (teamId: string) => teamCounts.readCounts(teamId),
    /** Null: no limit. */
    readForecast: async (
      teamId: string,
      { used, limit }: { used: number; limit: number | null },
    ) => {
      if (limit === null) return null;
      const [planned, { jobs }] = await Promise.all([
        crons.listPlanned(teamId),
        teamCounts.readCounts(teamId),
      ]);
      const waitingJobs = jobs.pending + jobs.retrying;
      return forecastUsage({ used, limit }, { crons: planned, waitingJobs }, clock.now());
    },
    /** Null: none yet. */
    findFirstCreatedSince: (teamId: string, since: number) =>
      teamCounts.findFirstCreatedSince(teamId, since),
  };
}
