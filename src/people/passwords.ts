import { LIMITS } from '#domain/base/limits';
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isLongerThan } from '#domain/base/text-length';
import type { TooMany } from './outcomes.ts';

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** `2 ** costLog2` blocks of 1 KiB, `passes` times. */
export interface PasswordWork {
  costLog2: number;
  passes: number;
}

/** 32 MiB and about a fifth of a second (OWASP's cheat sheet, scrypt). */
const FULL_WORK: PasswordWork = { costLog2: 15, passes: 3 };

const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
/** Hashing shares four threads with the disk and DNS. */
const MOST_AT_ONCE = 2;
/** About two seconds of hashing. Further requests get 503. */
const MOST_WAITING = 20;
const COME_BACK_SECONDS = 3;
const waiting: (() => void)[] = [];
let running = 0;

class PasswordsBusy extends Error {
  readonly code = 'PASSWORDS_BUSY';
}

export async function orBusy<T>(work: () => Promise<T>): Promise<T | TooMany> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PasswordsBusy)) throw error;
    return { kind: 'too-many', retryAfterSeconds: COME_BACK_SECONDS, isBusy: true };
  }
}

/** `scrypt$<costLog2>$<passes>$<salt>$<key>` in base64url. A hash names its own cost, which may change. */
export class Passwords {
  readonly #work: PasswordWork;

  constructor(work: PasswordWork = FULL_WORK) {
    this.#work = work;
  }

  async hash(password: string): Promise<string> {
    if (isLongerThan(password, LIMITS.passwordCharacters.most))
      throw new RangeError('the password is too long');
    const salt = randomBytes(16);
    const key = await stretch(password, salt, this.#work);
    const { costLog2, passes } = this.#work;
    return `scrypt$${costLog2}$${passes}$${salt.toString('base64url')}$${key.toString('base64url')}`;
  }

  /**
   * A password that is too long is wrong, and takes the same time.
   * @param hash null if there is no account: takes the same time
   * @throws PasswordsBusy
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const isTooLong = isLongerThan(password, LIMITS.passwordCharacters.most);
    const [, costLog2, passes, salt = '', expected = ''] = hash?.split('$') ?? [];
    const work =
      hash === null ? this.#work : { costLog2: Number(costLog2), passes: Number(passes) };
    const key = await stretch(isTooLong ? '' : password, Buffer.from(salt, 'base64url'), work);
    const known = Buffer.from(expected, 'base64url');
    return known.length === key.length && timingSafeEqual(key, known) && !isTooLong;
  }
}

async function stretch(
  password: string,
  salt: Buffer,
  { costLog2, passes }: PasswordWork,
): Promise<Buffer> {
  await enter();
  try {
    const N = 2 ** costLog2;
    // NFKC: keyboards write the same password differently.
    return await deriveKey(password.normalize('NFKC'), salt, KEY_BYTES, {
      N,
      r: BLOCK_SIZE,
      p: passes,
      maxmem: 256 * N * BLOCK_SIZE,
    });
  } finally {
    leave();
  }
}

async function enter(): Promise<void> {
  if (running < MOST_AT_ONCE) running++;
  else if (waiting.length >= MOST_WAITING) throw new PasswordsBusy('too many passwords at once');
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The slot goes to the oldest waiting request, so it is never counted as free. */
function leave(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}
