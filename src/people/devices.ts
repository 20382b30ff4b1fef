import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#domain/clock';
import { type CookieScope, cookieScopeOf } from '#domain/public-address';
import { normalizeEmail } from './fields.ts';
import { deriveSecret, makeSecret } from './secrets.ts';
import { readCookieText } from './request-context.ts';

/** How long a browser in which somebody has signed in is remembered. */
const VALID_MS = 365 * 24 * 60 * 60_000;
/** People who share a browser; the one who signed in longest ago is forgotten first. */
const MOST_ACCOUNTS = 5;
const BETWEEN = '~';

interface Deps {
  clock: Clock;
  baseUrl: string;
  appKey: Uint8Array;
}

/**
 * Browsers in which an account was signed in to. Such a browser keeps its own count of wrong passwords, so that
 * strangers who guess can't lock anybody out. It opens nothing by itself. Its cookie names no account: each
 * mark is a number, the time of the sign-in and a signature over both and the email.
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

  /** A name for the browser, where somebody has signed in to the account there; else null. */
  recognize(headers: Headers, email: string): string | null {
    const mark = this.#marksIn(headers).find((each) => this.#isOf(each, email));
    return mark?.split('.')[0] ?? null;
  }

  /** A `Set-Cookie` value with which the browser is known from now on. */
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
