import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import type { TooMany } from './outcomes.ts';
import { hashToken } from './secrets.ts';

const RULES = {
  /** Guesses of a password or a second factor; a right one is not counted. */
  guess: { most: 3, windowMs: 10_000 },
  /** Wrong passwords for one account, from all unknown browsers. */
  'account-guess': { most: 20, windowMs: 60 * 60_000 },
  /** Wrong passwords from one known browser. */
  'device-guess': { most: 20, windowMs: 60 * 60_000 },
  /** Wrong passwords and codes in one open session. */
  'session-guess': { most: 10, windowMs: 60 * 60_000 },
  /** Each stores a challenge for some minutes. */
  passkey: { most: 20, windowMs: 60_000 },
  provider: { most: 20, windowMs: 60_000 },
  mail: { most: 3, windowMs: 60_000 },
  /** Mails to one address by one requester, so that nobody can use up `mailbox`. */
  'mail-to': { most: 3, windowMs: 60 * 60_000 },
  /** Password links to one address, apart from other mails, so that those cannot block a reset. */
  'reset-mailbox': { most: 5, windowMs: 60 * 60_000 },
  /** Password links requested by a known browser: others can't use up its limit. */
  'device-reset': { most: 3, windowMs: 60 * 60_000 },
  /** Other mails to one address, from all requesters together. */
  mailbox: { most: 5, windowMs: 60 * 60_000 },
  /** Requests that make an account or set a password. */
  account: { most: 10, windowMs: 60_000 },
  /** Wrong codes for one account, after the right password. */
  'second-factor': { most: 10, windowMs: 15 * 60_000 },
  /** Tests of notification channels by one user; each posts to an address of theirs, or mails every member. */
  'channel-test': { most: 10, windowMs: 10 * 60_000 },
  'team-channel-test': { most: 20, windowMs: 10 * 60_000 },
  /** Confirmation links of channels from one team to one address, and from one team. `mailbox` counts too. */
  'address-confirmation': { most: 3, windowMs: 24 * 60 * 60_000 },
  'team-confirmation': { most: 50, windowMs: 60 * 60_000 },
  /** Invitations by one user, and from one address, over all teams. */
  invitation: { most: 50, windowMs: 60 * 60_000 },
} as const;
export type Rule = keyof typeof RULES;

const TIDY_EVERY_MS = 10 * 60_000;

/** In the database, so that all nodes share the limits and a restart keeps them. */
export function createLimits({ rateLimits }: Pick<Store, 'rateLimits'>, clock: Clock, log: Log) {
  let tidiedAt = Number.NEGATIVE_INFINITY;
  const tidy = (now: number) => {
    if (Math.abs(now - tidiedAt) < TIDY_EVERY_MS) return;
    tidiedAt = now;
    rateLimits
      .deleteEnded(now)
      .catch((error: unknown) => log.warn('accounts.not-tidied', { error }));
  };
  return {
    /** @returns null if the attempt is allowed */
    count: async (rule: Rule, ...who: string[]): Promise<TooMany | null> => {
      const { most, windowMs } = RULES[rule];
      const now = clock.now();
      tidy(now);
      const { endsAt, hits } = await rateLimits.count(keyOf(rule, who), now, windowMs);
      if (hits <= most) return null;
      const waitMs = Math.max(0, endsAt - now);
      return { kind: 'too-many', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
    },
    takeBack: (rule: Rule, ...who: string[]) => rateLimits.takeBack(keyOf(rule, who)),
  };
}

/** The longest email. Longer names are hashed: Postgres refuses keys of more than 2,700 bytes. */
const LONGEST_NAME = 254;

function keyOf(rule: Rule, who: readonly string[]): string {
  return [rule, ...who.map(shorten)].join(' ');
}

const shorten = (name: string) => (name.length > LONGEST_NAME ? hashToken(name) : name);
