import type { ActivityEntry, Doer } from '#domain/activity';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';

export class PeopleActivity {
  readonly #deps: { store: Pick<Store, 'activity' | 'clock'>; log: Log };

  constructor(deps: { store: Pick<Store, 'activity' | 'clock'>; log: Log }) {
    this.#deps = deps;
  }

  /** @param what the change in words */
  async accountChanged(
    userId: string,
    { what, ...entry }: ActivityEntry & { what: string },
    doer: Doer = { userId },
  ): Promise<void> {
    this.#deps.log.info('account.changed', { what, userId });
    await this.ofAccount(userId, { ...entry, detail: what }, doer);
  }

  /** In each team of the user. */
  async ofAccount(userId: string, entry: ActivityEntry, doer: Doer = { userId }): Promise<void> {
    const { activity, clock } = this.#deps.store;
    await this.#keep(entry, () => activity.recordOfUser(userId, doer, entry, clock.now()));
  }

  async ofTeam(teamId: string, doer: Doer, entry: ActivityEntry): Promise<void> {
    const { activity, clock } = this.#deps.store;
    await this.#keep(entry, () => activity.record(teamId, doer, entry, clock.now()));
  }

  /** An action isn't undone because it couldn't be recorded. */
  async #keep({ action }: ActivityEntry, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#deps.log.error('activity.not-recorded', {
        what: action,
        error: (error as Error).message,
      });
    }
  }
}
