import type { Deed, Doer } from '#domain/activity';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** Records the activity of users and teams (§5.10). */
export class PeopleActivity {
  readonly #deps: { store: Pick<Store, 'activity' | 'clock'>; log: Log };

  constructor(deps: { store: Pick<Store, 'activity' | 'clock'>; log: Log }) {
    this.#deps = deps;
  }

  /** @param what the change in words */
  async accountChanged(
    userId: string,
    { what, ...deed }: Deed & { what: string },
    doer: Doer = { userId },
  ): Promise<void> {
    this.#deps.log.info('account.changed', { what, userId });
    await this.ofAccount(userId, { ...deed, detail: what }, doer);
  }

  /** In each team of the user. */
  async ofAccount(userId: string, deed: Deed, doer: Doer = { userId }): Promise<void> {
    const { activity, clock } = this.#deps.store;
    await this.#keep(deed, () => activity.recordOfUser(userId, doer, deed, clock.now()));
  }

  async ofTeam(teamId: string, doer: Doer, deed: Deed): Promise<void> {
    const { activity, clock } = this.#deps.store;
    await this.#keep(deed, () => activity.record(teamId, doer, deed, clock.now()));
  }

  /** An action isn't undone because it couldn't be recorded. */
  async #keep({ action }: Deed, write: () => Promise<void>): Promise<void> {
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
