import type { Clock } from '#domain/clock';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import { makeSecret } from './secrets.ts';

interface Deps {
  store: Store;
  clock: Clock;
}

/** The secret that a team's outgoing requests are signed with (§5.6, D19); for admins (D33). */
export class Signing {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async readSigningSecret(actor: Actor): Promise<{ createdAt: number; masked: string } | null> {
    const kept = await this.#read(actor);
    return kept && { createdAt: kept.setAt, masked: `whsec_••••${kept.secret.slice(-4)}` };
  }

  /** The text, for an admin who asks for it. */
  async revealSigningSecret(actor: Actor): Promise<string | null> {
    const kept = await this.#read(actor);
    return kept?.secret ?? null;
  }

  /** Makes the first or replaces the old one; in force with the next request (D19). */
  async generateSigningSecret(actor: Actor): Promise<string> {
    const { store, clock } = this.#deps;
    const { teamId } = await authorize(store, actor, 'signing-secret');
    const secret = makeSecret('whsec_');
    await store.teams.setSigningSecret(teamId, secret, clock.now());
    return secret;
  }

  /** Requests are no longer signed. */
  async deleteSigningSecret(actor: Actor): Promise<void> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.store.teams.removeSigningSecret(teamId);
  }

  async #read(actor: Actor): Promise<{ secret: string; setAt: number } | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    return this.#deps.store.teams.readSigningSecret(teamId);
  }
}
