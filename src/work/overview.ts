import { type Forecast, forecastUsage } from '#domain/usage-forecast';
import type { Counts, Created, Attention } from '#store/figures/team-counts';
import type { Store } from '#store/store';

export type { Counts, Created, Attention, Forecast };

/** The overview of a team on the dashboard. */
export interface OverviewWork {
  readAttention(teamId: string): Promise<Attention>;
  readCounts(teamId: string): Promise<Counts>;
  /** When the month's limit will be reached; null: there is none. */
  readForecast(
    teamId: string,
    usage: { used: number; limit: number | null },
  ): Promise<Forecast | null>;
  /** The first cron or job made at `since` (milliseconds) or later; null: none yet. */
  findFirstCreatedSince(teamId: string, since: number): Promise<Created | null>;
}

export function createOverviewWork({ teamCounts, crons, clock }: Store): OverviewWork {
  return {
    readAttention: (teamId) => teamCounts.readAttention(teamId),
    readCounts: (teamId) => teamCounts.readCounts(teamId),
    readForecast: async (teamId, { used, limit }) => {
      if (limit === null) return null;
      const [planned, { jobs }] = await Promise.all([
        crons.listPlanned(teamId),
        teamCounts.readCounts(teamId),
      ]);
      const waitingJobs = jobs.pending + jobs.retrying;
      return forecastUsage({ used, limit }, { crons: planned, waitingJobs }, clock.now());
    },
    findFirstCreatedSince: (teamId, since) => teamCounts.findFirstCreatedSince(teamId, since),
  };
}
