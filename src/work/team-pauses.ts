import type { TeamPause } from '#store/crons/team-pauses';
import type { Store } from '#store/store';
import { nextRunAfter } from '#domain/cron/cron';

export type { TeamPause };

export function createTeamPauseWork({ teamPauses, clock }: Store) {
  return {
    /** Null: it is not paused. */
    readTeamPause: (teamId: string) => teamPauses.read(teamId),
    /**
     * Times of crons pass, and no waiting job starts; running ones end. False: it was paused already, and no time was
     * given.
     */
    pauseTeam: (teamId: string, by: string, until: number | null = null) =>
      teamPauses.pause(teamId, { at: clock.now(), by, until }),
    /** Crons and queues that are paused themselves stay so; the rest continues. False: it was not paused. */
    resumeTeam: async (teamId: string) => {
      const now = clock.now();
      return teamPauses.resume(teamId, now, (expression) => nextRunAfter(expression, now));
    },
  };
}
