/** The session's cookie belongs to people. */
import { randomUUID } from 'node:crypto';
import { parse } from 'hono/utils/cookie';
import { cookieScopeOf } from '#domain/http/public-address';
import { type Context, redirectWithCookies, requestFacts } from '../context.ts';
import { knownZone } from '../words/times.ts';
import { readOwnPath } from './own-path.ts';

const aYear = 365 * 24 * 3600;

/** Null if absent. Time.tsx writes one of these. */
function readCookie(request: Request, name: string): string | null {
  // With a base path the prefix differs (`cookieScopeOf`), and the request doesn't show whether there is one.
  const prefixes = request.url.startsWith('https:') ? ['__Host-', '__Secure-'] : [''];
  const cookies = parse(request.headers.get('Cookie') ?? '');
  const found = prefixes.flatMap((prefix) => cookies[`${prefix}${name}`] ?? []);
  return found[0] ?? null;
}

type CookieRules = { baseUrl: string; maxAgeSeconds: number };

/** Limited to our pages, and to TLS if the public address uses it. */
export function writeCookie(
  name: string,
  value: string,
  { baseUrl, maxAgeSeconds }: CookieRules,
): string {
  const { prefix, path, isSecure } = cookieScopeOf(baseUrl);
  const secure = isSecure ? '; Secure' : '';
  return `${prefix}${name}=${encodeURIComponent(value)}; Path=${path}; SameSite=Lax; Max-Age=${maxAgeSeconds}; HttpOnly${secure}`;
}

function choiceOf<Value extends string>(name: string, values: readonly [Value, ...Value[]]) {
  const known = (value: unknown) => values.find((each) => each === value) ?? values[0];
  return {
    read: (request: Request) => known(readCookie(request, name)),
    write: (value: unknown, baseUrl: string) =>
      writeCookie(name, known(value), { baseUrl, maxAgeSeconds: aYear }),
  };
}

export const theme = choiceOf('belfry_theme', ['auto', 'light', 'dark']);
export const times = choiceOf('belfry_times', ['utc', 'local']);
export const slashKey = choiceOf('belfry_slash_key', ['on', 'off']);
export const firstSteps = choiceOf('belfry_steps', ['shown', 'hidden']);

/** Only a script can find it out. Null if unknown. */
export function readTimeZone(request: Request): string | null {
  return knownZone(readCookie(request, 'belfry_zone') ?? '');
}

/** Shown once on the next page. */
export type Toast = {
  /** For messages with the same words. */
  key?: string;
  kind: 'done' | 'failed' | 'note';
  text: string;
  href?: string;
  linkText?: string;
};

const toastCookie = 'belfry_toast';

export function readToast(request: Request): Toast | null {
  const value = readCookie(request, toastCookie);
  if (!value) return null;
  try {
    const { key, kind, text, href, linkText } = JSON.parse(value) as Partial<Toast>;
    if (typeof text !== 'string' || (kind !== 'done' && kind !== 'failed' && kind !== 'note'))
      return null;
    const toast: Toast = {
      ...(typeof key === 'string' && { key: key.slice(0, 40) }),
      kind,
      text: text.slice(0, 500),
    };
    const own = readOwnPath(href);
    return own !== null && typeof linkText === 'string'
      ? { ...toast, href: own, linkText: linkText.slice(0, 80) }
      : toast;
  } catch {
    return null;
  }
}

export function forgetToast(baseUrl: string): string {
  return writeCookie(toastCookie, '', { baseUrl, maxAgeSeconds: 0 });
}

/** @param said a text means success */
export function redirectWithToast(
  context: Context,
  to: string,
  said: Toast | string,
  setCookies: readonly string[] = [],
): Response {
  const toast = typeof said === 'string' ? { kind: 'done', text: said } : said;
  const { baseUrl } = context.get(requestFacts);
  const marked = JSON.stringify({ key: randomUUID(), ...toast });
  const cookie = writeCookie(toastCookie, marked, { baseUrl, maxAgeSeconds: 60 });
  return redirectWithCookies(to, [...setCookies, cookie]);
}
