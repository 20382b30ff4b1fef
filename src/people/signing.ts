import type { Clock } from '#domain/clock';
import { formatInstant } from '#domain/instant';
import { UNREADABLE_TEXTS } from '#domain/judge';
import { endOfSecret } from '#domain/signature';
import type { Store } from '#store/store';
import { type Actor, authorize } from './actor.ts';
import { readChangeDate } from './change-date.ts';
import type { Refused } from './outcomes.ts';
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

export type Planned = { kind: 'planned'; secret: string; from: number };

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

  /** The next secret, which is not in force yet, and the time from which it is. */
  async readNextSecret(actor: Actor): Promise<(ShownSecret & { from: number }) | null> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    const next = await this.#deps.store.nextSecrets.find(teamId);
    if (next === null) return null;
    return { createdAt: next.setAt, from: next.from, masked: mask(await this.#openNext(teamId)) };
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

  /**
   * Makes the next secret, so that receivers can get it before it signs. It replaces one that was planned before.
   *
   * @param from  a date and a time in UTC from which it signs
   */
  async planSigningSecret(actor: Actor, from: string): Promise<Planned | Refused> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    return planSecret(this.#deps, { teamId, from, doer: actor });
  }

  /** Puts the next secret in force now. False where there is none. */
  async useNextSecret(actor: Actor): Promise<boolean> {
    const { store, clock, activity } = this.#deps;
    const { teamId } = await authorize(store, actor, 'signing-secret');
    const isChanged = await store.nextSecrets.useNow(teamId, clock.now());
    if (isChanged) await activity.ofTeam(teamId, actor, { action: 'signing.next-used' });
    return isChanged;
  }

  async deleteNextSecret(actor: Actor): Promise<void> {
    const { teamId } = await authorize(this.#deps.store, actor, 'signing-secret');
    await this.#deps.store.nextSecrets.drop(teamId);
    await this.#deps.activity.ofTeam(teamId, actor, { action: 'signing.next-deleted' });
  }

  /** Deletes the secret and a planned next one. Requests are then no longer signed. */
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

/** Makes a team's next secret. The caller has checked permissions. */
export async function planSecret(
  { store, clock, activity }: Deps,
  { teamId, from, doer }: { teamId: string; from: string; doer: Actor | 'command-line' },
): Promise<Planned | Refused> {
  const now = clock.now();
  const at = readChangeDate(from, now);
  if (typeof at !== 'number') return at;
  const secret = makeSecret('whsec_');
  await store.nextSecrets.plan(teamId, secret, { setAt: now, from: at });
  await activity.ofTeam(teamId, doer, { action: 'signing.planned', detail: formatInstant(at) });
  return { kind: 'planned', secret, from: at };
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
