import type { Clock } from '#domain/clock';
import { UNREADABLE_TEXTS } from '#domain/judge';
import { endOfSecret } from '#domain/signature';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import { makeSecret } from './secrets.ts';
import type { PeopleActivity } from './people-activity.ts';

interface Deps {
  store: Store;
  clock: Clock;
  activity: PeopleActivity;
}

interface ShownSecret {
  createdAt: number;
  masked: string;
}

/** The secrets that a team's outgoing requests are signed with (§5.6); for admins (§5.8). */
export class Signing {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async readSigningSecret(actor: Actor): Promise<ShownSecret | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    const { teams } = this.#deps.store;
    const setAt = await teams.readSigningSecretSetAt(teamId);
    if (setAt === null) return null;
    return { createdAt: setAt, masked: mask(await this.#open(teamId)) };
  }

  /** The next secret, which is not in force yet. */
  async readNextSecret(actor: Actor): Promise<ShownSecret | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    const setAt = await this.#deps.store.nextSecrets.findSetAt(teamId);
    if (setAt === null) return null;
    return { createdAt: setAt, masked: mask(await this.#openNext(teamId)) };
  }

  /** The secret's text. That an admin has asked for it is recorded. */
  async revealSigningSecret(actor: Actor): Promise<string | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.shown' });
    return this.#open(teamId);
  }

  async revealNextSecret(actor: Actor): Promise<string | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.next-shown' });
    return this.#openNext(teamId);
  }

  /** Makes the first signing secret or replaces the old one; in force with the next request (§5.6). */
  async generateSigningSecret(actor: Actor): Promise<string> {
    const { store, clock, activity } = this.#deps;
    const { teamId } = await authorize(store, actor, 'signing-secret');
    const secret = makeSecret('whsec_');
    await store.teams.setSigningSecret(teamId, secret, clock.now());
    await activity.ofTeam(teamId, actor, { action: 'signing.generated' });
    return secret;
  }

  /** Makes the next secret, so that receivers can get it before it signs. Null if there is one already. */
  async generateNextSecret(actor: Actor): Promise<string | null> {
    const { store, clock, activity } = this.#deps;
    const { teamId } = await authorize(store, actor, 'signing-secret');
    const secret = makeSecret('whsec_');
    if (!(await store.nextSecrets.add(teamId, secret, clock.now()))) return null;
    await activity.ofTeam(teamId, actor, { action: 'signing.next-generated' });
    return secret;
  }

  /** Puts the next secret in force now. False where there is none. */
  async useNextSecret(actor: Actor): Promise<boolean> {
    const { store, clock, activity } = this.#deps;
    const { teamId } = await authorize(store, actor, 'signing-secret');
    const isChanged = await store.nextSecrets.putInForce(teamId, clock.now());
    if (isChanged) await activity.ofTeam(teamId, actor, { action: 'signing.next-used' });
    return isChanged;
  }

  async deleteNextSecret(actor: Actor): Promise<void> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.store.nextSecrets.drop(teamId);
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.next-deleted' });
  }

  /** Deletes the secret and the next one. Requests are then no longer signed. */
  async deleteSigningSecret(actor: Actor): Promise<void> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.store.teams.removeSigningSecret(teamId);
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.deleted' });
  }

  /** Null where there is none, or where it can't be opened; it can be replaced even then. */
  async #open(teamId: string): Promise<string | null> {
    const { teams } = this.#deps.store;
    return orUnreadable(async () => (await teams.readSigningSecret(teamId))?.secret ?? null);
  }

  async #openNext(teamId: string): Promise<string | null> {
    return orUnreadable(() => this.#deps.store.nextSecrets.reveal(teamId));
  }
}

function mask(secret: string | null): string {
  return secret === null ? UNREADABLE_TEXTS.secret : `whsec_••••${endOfSecret(secret)}`;
}

async function orUnreadable(open: () => Promise<string | null>): Promise<string | null> {
  try {
    return await open();
  } catch (error) {
    if ((error as { code?: string }).code !== 'STORE_WRONG_KEY') throw error;
    return null;
  }
}
