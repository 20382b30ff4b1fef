import type { ActivityEntry, Doer } from '#domain/team/activity';
import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';

export function createPeopleActivity(
  { activity, clock }: Pick<Store, 'activity' | 'clock'>,
  log: Log,
) {
  /** An action isn't undone because it couldn't be recorded. */
  const keep = async ({ action }: ActivityEntry, write: (now: number) => Promise<void>) => {
    try {
      await write(clock.now());
    } catch (error) {
      log.error('activity.not-recorded', { what: action, error: (error as Error).message });
    }
  };
  /** In each team of the user. */
  const ofAccount = (userId: string, entry: ActivityEntry, doer: Doer = { userId }) =>
    keep(entry, (now) => activity.recordOfUser(userId, doer, entry, now));
  return {
    ofAccount,
    ofTeam: (teamId: string, doer: Doer, entry: ActivityEntry) =>
      keep(entry, (now) => activity.record(teamId, doer, entry, now)),
    /** @param what the change in words */
    accountChanged: async (
      userId: string,
      { what, ...entry }: ActivityEntry & { what: string },
      doer?: Doer,
    ) => {
      log.info('account.changed', { what, userId });
      await ofAccount(userId, { ...entry, detail: what }, doer);
    },
  };
}
