import { timingSafeEqual } from 'node:crypto';
import { cookieScopeOf } from '#domain/http/public-address';
import type { Context } from './context.ts';
import { macOf } from './secrets.ts';

export interface CookieContext extends Pick<Context, 'clock'> {
  config: Pick<Context['config'], 'baseUrl' | 'appKey'>;
}

/** The browser can read the text, but not make or change one. */
export interface SignedCookie {
  name: string;
  validMs: number;
}

export function readCookie({ config }: CookieContext, headers: Headers, name: string) {
  const start = `${cookieScopeOf(config.baseUrl).prefix}${name}=`;
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? null;
}

/** Scripts and other sites' requests don't get the cookie. */
export function writeCookie(
  { config }: CookieContext,
  { name, value, validMs }: { name: string; value: string; validMs: number },
): string {
  const { prefix, path, isSecure } = cookieScopeOf(config.baseUrl);
  const secure = isSecure ? '; Secure' : '';
  return `${prefix}${name}=${value}; Path=${path}; SameSite=Lax; Max-Age=${validMs / 1000}; HttpOnly${secure}`;
}

export function deleteCookie(context: CookieContext, name: string): string {
  return writeCookie(context, { name, value: '', validMs: 0 });
}

export function writeSigned(
  context: CookieContext,
  { name, validMs }: SignedCookie,
  text: string,
): string {
  const head = `${context.clock.now().toString(36)}.${Buffer.from(text).toString('base64url')}`;
  const value = `${head}.${macOf(context.config.appKey, name, head)}`;
  return writeCookie(context, { name, value, validMs });
}

export function readSigned(
  context: CookieContext,
  { name, validMs }: SignedCookie,
  headers: Headers,
): string | null {
  const parts = (readCookie(context, headers, name) ?? '').split('.');
  const [madeAt = '', text = '', signature = ''] = parts;
  if (!isSame(signature, macOf(context.config.appKey, name, `${madeAt}.${text}`))) return null;
  const age = context.clock.now() - Number.parseInt(madeAt, 36);
  // A later time comes from another node, or from before this clock was set back.
  if (Math.abs(age) >= validMs) return null;
  return Buffer.from(text, 'base64url').toString();
}

export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
