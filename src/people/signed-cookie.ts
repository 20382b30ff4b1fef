import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#domain/clock';
import { type CookieScope, cookieScopeOf } from '#domain/public-address';
import { readCookieText } from './request-context.ts';
import { deriveSecret } from './secrets.ts';

interface Deps {
  clock: Clock;
  baseUrl: string;
  appKey: Uint8Array;
}

/** A short text that a browser keeps for us for a while. It can read it, and can't make or change one. */
export class SignedCookie {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #scope: CookieScope;
  readonly #name: string;
  readonly #validMs: number;

  constructor({ clock, baseUrl, appKey }: Deps, of: { name: string; validMs: number }) {
    this.#clock = clock;
    this.#key = deriveSecret(appKey, of.name);
    this.#scope = cookieScopeOf(baseUrl);
    this.#name = `${this.#scope.prefix}${of.name}`;
    this.#validMs = of.validMs;
  }

  /** A `Set-Cookie` value. */
  write(text: string): string {
    const head = `${this.#clock.now().toString(36)}.${Buffer.from(text).toString('base64url')}`;
    return this.#set(`${head}.${this.#sign(head)}`, this.#validMs / 1000);
  }

  /** Null where there is none, it is too old, or not ours. */
  read(headers: Headers): string | null {
    const parts = (readCookieText(headers, this.#name) ?? '').split('.');
    const [madeAt = '', text = '', signature = ''] = parts;
    const given = Buffer.from(signature);
    const expected = Buffer.from(this.#sign(`${madeAt}.${text}`));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const age = this.#clock.now() - Number.parseInt(madeAt, 36);
    // One from a later time is of a clock that was set back since, or of another node's.
    if (Math.abs(age) >= this.#validMs) return null;
    return Buffer.from(text, 'base64url').toString();
  }

  /** A `Set-Cookie` value that takes it away. */
  forget(): string {
    return this.#set('', 0);
  }

  #set(value: string, maxAge: number): string {
    const { path, isSecure } = this.#scope;
    const secure = isSecure ? '; Secure' : '';
    return `${this.#name}=${value}; Path=${path}; SameSite=Lax; Max-Age=${maxAge}; HttpOnly${secure}`;
  }

  #sign(head: string): string {
    return createHmac('sha256', this.#key).update(head).digest('base64url');
  }
}
