import { isIPv6 } from 'node:net';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import type { TooMany } from './outcomes.ts';

/** What may be tried only so often, each with how many times in how long. */
const RULES = {
  /** Guesses of a password or a second factor; what turns out right is taken back. */
  guess: { most: 3, windowMs: 10_000 },
  /** Wrong passwords for one account, from wherever nobody has signed in to it before. */
  'account-guess': { most: 20, windowMs: 60 * 60_000 },
  /** Wrong passwords from one browser that the account knows. */
  'device-guess': { most: 20, windowMs: 60 * 60_000 },
  /** Wrong passwords and codes in one open session. */
  'session-guess': { most: 10, windowMs: 60 * 60_000 },
  /** Sign-ins by passkey that are begun; each leaves a challenge for some minutes. */
  passkey: { most: 20, windowMs: 60_000 },
  /** What writes mails to somebody. */
  mail: { most: 3, windowMs: 60_000 },
  /** Mails to one address, counted for each requester first, so that one requester cannot use up `mailbox`. */
  'mail-to': { most: 3, windowMs: 60 * 60_000 },
  /** Password links to one address. Counted apart from other mails, so that those cannot block a reset. */
  'reset-mailbox': { most: 5, windowMs: 60 * 60_000 },
  /** Other mails to one address, from all requesters together. */
  mailbox: { most: 5, windowMs: 60 * 60_000 },
  /** What makes accounts or sets passwords. */
  account: { most: 10, windowMs: 60_000 },
  /** One code of an authenticator, longer than it is valid: RFC 6238 §5.2 lets it open only once. */
  'one-time-code': { most: 1, windowMs: 120_000 },
  /** Invitations by one user, and from one address, whatever the team. */
  invitation: { most: 50, windowMs: 60 * 60_000 },
} as const;
export type Rule = keyof typeof RULES;

const LONGEST_WINDOW_MS = 60 * 60_000;
const TIDY_EVERY_MS = 10 * 60_000;

interface Deps {
  store: Pick<Store, 'rateLimits'>;
  clock: Clock;
  log: Log;
}

/**
 * How often somebody may try something, counted in the database, so that all nodes share it and a restart
 * forgets nothing. Whatever calls this room is limited, whichever page or form it comes through.
 */
export class Limits {
  readonly #deps: Deps;
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Counts an attempt.
   *
   * @param who  what it is counted by: an address of a client, a mail address, a user, or some of these together
   * @returns null where it is allowed
   */
  async count(rule: Rule, ...who: string[]): Promise<TooMany | null> {
    const { store, clock } = this.#deps;
    const { most, windowMs } = RULES[rule];
    const now = clock.now();
    this.#tidy(now);
    const { openedAt, hits } = await store.rateLimits.count(keyOf(rule, who), now, windowMs);
    if (hits <= most) return null;
    const waitMs = Math.max(0, openedAt + windowMs - now);
    return { kind: 'too-many', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  }

  async takeBack(rule: Rule, ...who: string[]): Promise<void> {
    await this.#deps.store.rateLimits.takeBack(keyOf(rule, who));
  }

  /** Whatever leaves rows behind was counted first, so counting is when to clear them away. */
  #tidy(now: number): void {
    if (now - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = now;
    const { store, log } = this.#deps;
    store.rateLimits
      .tidy(now - LONGEST_WINDOW_MS, now)
      .catch((error: unknown) => log.warn('accounts.not-tidied', { error }));
  }
}

function keyOf(rule: Rule, who: readonly string[]): string {
  return [rule, ...who.map((each) => (isIPv6(each) ? networkOf(each) : each))].join(' ');
}

/** A customer's IPv6 network has 2^64 addresses to try from (RFC 6177); they count as one. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
