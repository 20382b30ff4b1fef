import type { Clock } from '#domain/clock';
import { UNREADABLE_TEXTS } from '#domain/judge';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import { makeSecret } from './secrets.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Store;
  clock: Clock;
  activity: PeopleActivity;
}

/** The secret that a team's outgoing requests are signed with (§5.6); for admins (§5.8). */
export class Signing {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async readSigningSecret(actor: Actor): Promise<{ createdAt: number; masked: string } | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    const setAt = await this.#deps.store.teams.readSigningSecretSetAt(teamId);
    if (setAt === null) return null;
    const secret = await this.#open(teamId);
    const masked = secret === null ? UNREADABLE_TEXTS.secret : `whsec_••••${secret.slice(-4)}`;
    return { createdAt: setAt, masked };
  }

  /** The text, for an admin who asks for it. */
  async revealSigningSecret(actor: Actor): Promise<string | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.shown' });
    return this.#open(teamId);
  }

  /** Makes the first or replaces the old one; in force with the next request (§5.6). */
  async generateSigningSecret(actor: Actor): Promise<string> {
    const { store, clock, activity } = this.#deps;
    const { teamId } = await authorize(store, actor, 'signing-secret');
    const secret = makeSecret('whsec_');
    await store.teams.setSigningSecret(teamId, secret, clock.now());
    await activity.ofTeam(teamId, actor, { action: 'signing.generated' });
    return secret;
  }

  /** Requests are no longer signed. */
  async deleteSigningSecret(actor: Actor): Promise<void> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.store.teams.removeSigningSecret(teamId);
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.deleted' });
  }

  /** Null where there is none, or where it does not open: it can be replaced all the same. */
  async #open(teamId: string): Promise<string | null> {
    try {
      return (await this.#deps.store.teams.readSigningSecret(teamId))?.secret ?? null;
    } catch (error) {
      if ((error as { code?: string }).code !== 'STORE_WRONG_KEY') throw error;
      return null;
    }
  }
}
