import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#domain/clock';
import { type CookieScope, cookieScopeOf } from '#domain/public-address';
import { normalizeEmail } from './fields.ts';
import { deriveSecret, makeSecret } from './secrets.ts';
import { readCookieText } from './request-context.ts';

/** How long a browser is remembered after a sign-in. */
const VALID_MS = 365 * 24 * 60 * 60_000;
/** How many accounts one browser remembers. Beyond that, the one that signed in longest ago is forgotten. */
const MOST_ACCOUNTS = 5;
const BETWEEN = '~';

interface Deps {
  clock: Clock;
  baseUrl: string;
  appKey: Uint8Array;
}

/**
 * Remembers in which browsers an account has signed in. Such a browser has its own count of wrong passwords, so that
 * strangers who guess can't lock the owner out. Being remembered gives no access. The cookie names no account: each
 * mark in it is a random number, the time of the sign-in and a signature over both and the email.
 */
export class Devices {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #scope: CookieScope;

  constructor({ clock, baseUrl, appKey }: Deps) {
    this.#clock = clock;
    this.#key = deriveSecret(appKey, 'belfry known devices');
    this.#scope = cookieScopeOf(baseUrl);
  }

  /** The browser's random name if the account has signed in there, else null. */
  recognize(headers: Headers, email: string): string | null {
    const mark = this.#marksIn(headers).find((each) => this.#isOf(each, email));
    return mark?.split('.')[0] ?? null;
  }

  /** A `Set-Cookie` value that makes the browser remember the account. */
  remember(headers: Headers, email: string): string {
    const others = this.#marksIn(headers).filter((mark) => !this.#isOf(mark, email));
    const head = `${makeSecret().slice(0, 22)}.${this.#clock.now().toString(36)}`;
    const marks = [`${head}.${this.#sign(head, email)}`, ...others].slice(0, MOST_ACCOUNTS);
    const { path, isSecure } = this.#scope;
    const secure = isSecure ? '; Secure' : '';
    return `${this.#cookieName}=${marks.join(BETWEEN)}; Path=${path}; SameSite=Lax; Max-Age=${VALID_MS / 1000}; HttpOnly${secure}`;
  }

  get #cookieName(): string {
    return `${this.#scope.prefix}belfry_device`;
  }

  #marksIn(headers: Headers): string[] {
    const text = readCookieText(headers, this.#cookieName) ?? '';
    return text === '' ? [] : text.split(BETWEEN).slice(0, MOST_ACCOUNTS);
  }

  #isOf(mark: string, email: string): boolean {
    const [id = '', madeAt = '', signature = ''] = mark.split('.');
    const given = Buffer.from(signature);
    const expected = Buffer.from(this.#sign(`${id}.${madeAt}`, email));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number.parseInt(madeAt, 36) + VALID_MS > this.#clock.now();
  }

  #sign(head: string, email: string): string {
    return createHmac('sha256', this.#key)
      .update(`${head}.${normalizeEmail(email)}`)
      .digest('base64url');
  }
}
