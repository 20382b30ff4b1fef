import type { TeamPause } from '#store/crons/team-pauses';
import type { Store } from '#store/store';
import { nextRunAfter } from '#domain/cron';

export type { TeamPause };

/** The switch over everything of a team (§3.11). */
export interface TeamPauseWork {
  /** Null: it is not paused. */
  readTeamPause(teamId: string): Promise<TeamPause | null>;
  /**
   * Times of crons pass, and no waiting job starts; accepted jobs are kept, and running ones end.
   *
   * @param by the user, who is shown to all
   * @returns false: it was paused already
   */
  pauseTeam(teamId: string, by: string): Promise<boolean>;
  /** Crons and queues that are paused themselves stay so; the rest continues. False: it was not paused. */
  resumeTeam(teamId: string): Promise<boolean>;
}

export function createTeamPauseWork({ teamPauses, clock }: Store): TeamPauseWork {
  return {
    readTeamPause: (teamId) => teamPauses.read(teamId),
    pauseTeam: (teamId, by) => teamPauses.pause(teamId, { at: clock.now(), by }),
    resumeTeam: async (teamId) => {
      const now = clock.now();
      return teamPauses.resume(teamId, now, (expression) => nextRunAfter(expression, now));
    },
  };
}
