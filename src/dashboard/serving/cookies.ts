/** The dashboard's own cookies. The session's cookie belongs to people. */
import { randomUUID } from 'node:crypto';
import { redirect } from 'react-router';
import { cookieScopeOf } from '#domain/public-address';
import { type Context, requestFacts, type Theme } from '../context.ts';
import { knownZone } from '../words/time-zone.ts';
import { readOwnPath } from './own-path.ts';

const aYear = 365 * 24 * 3600;

/**
 * The decoded value of a cookie; null if it is absent or malformed. Time.tsx writes one of these cookies in the
 * browser.
 */
function readCookie(request: Request, name: string): string | null {
  // With a base path the prefix is another one (`cookieScopeOf`), and the request does not show whether there is one.
  const prefixes = request.url.startsWith('https:') ? ['__Host-', '__Secure-'] : [''];
  const sought = new Set(prefixes.map((prefix) => `${prefix}${name}`));
  for (const part of (request.headers.get('Cookie') ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at < 0 || !sought.has(part.slice(0, at).trim())) continue;
    try {
      return decodeURIComponent(part.slice(at + 1).trim());
    } catch {
      return null;
    }
  }
  return null;
}

type CookieRules = { baseUrl: string; maxAgeSeconds: number; isForScripts?: boolean };

/** A `Set-Cookie` value: limited to our pages, and to TLS if the public address uses it. */
export function writeCookie(
  name: string,
  value: string,
  { baseUrl, maxAgeSeconds, isForScripts }: CookieRules,
): string {
  const { prefix, path, isSecure } = cookieScopeOf(baseUrl);
  const secure = isSecure ? '; Secure' : '';
  const hidden = isForScripts ? '' : '; HttpOnly';
  return `${prefix}${name}=${encodeURIComponent(value)}; Path=${path}; SameSite=Lax; Max-Age=${maxAgeSeconds}${hidden}${secure}`;
}

export const themes: readonly Theme[] = ['light', 'dark', 'auto'];

export function readTheme(request: Request): Theme {
  const value = readCookie(request, 'belfry_theme');
  return themes.find((theme) => theme === value) ?? 'auto';
}

export function writeTheme(theme: Theme, baseUrl: string): string {
  return writeCookie('belfry_theme', theme, { baseUrl, maxAgeSeconds: aYear });
}

const slashKeyCookie = 'belfry_slash_key';

/** Whether `/` leads into the search field in this browser. */
export function readSlashKey(request: Request): boolean {
  return readCookie(request, slashKeyCookie) !== 'off';
}

export function writeSlashKey(isOn: boolean, baseUrl: string): string {
  return writeCookie(slashKeyCookie, isOn ? 'on' : 'off', { baseUrl, maxAgeSeconds: aYear });
}

/**
 * The viewer's time zone, which only a script can find out. With it the server writes local times into the page. Null
 * if it is missing or unknown.
 */
export function readTimeZone(request: Request): string | null {
  return knownZone(readCookie(request, 'belfry_zone') ?? '');
}

/** Whether the viewer wants times in their own zone. */
export function readIsLocal(request: Request): boolean {
  return readCookie(request, 'belfry_times') === 'local';
}

export function writeIsLocal(isLocal: boolean, baseUrl: string): string {
  return writeCookie('belfry_times', isLocal ? 'local' : 'utc', { baseUrl, maxAgeSeconds: aYear });
}

const stepsCookie = 'belfry_steps';
/** How many teams' first steps this browser can hide. Beyond that, the oldest team's steps are shown again. */
const mostHidden = 20;

export function readHiddenSteps(request: Request): string[] {
  const value = readCookie(request, stepsCookie) ?? '';
  return value.split(' ').filter((id) => /^[0-9a-f-]{36}$/.test(id));
}

export function hideSteps(hidden: readonly string[], teamId: string, baseUrl: string): string {
  const ids = [...hidden.filter((id) => id !== teamId), teamId].slice(-mostHidden);
  return writeCookie(stepsCookie, ids.join(' '), { baseUrl, maxAgeSeconds: aYear });
}

/** A short message about the last action, shown once on the next page. */
export type Toast = {
  /** Distinguishes two messages with the same words. */
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

/**
 * Redirects after an action to the next page, which shows the message.
 * @param said a text alone means success
 */
export function redirectWithToast(
  context: Context,
  to: string,
  said: Toast | string,
  setCookies: readonly string[] = [],
): Response {
  const toast = typeof said === 'string' ? { kind: 'done', text: said } : said;
  const { baseUrl } = context.get(requestFacts);
  const response = redirect(to);
  for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
  const marked = JSON.stringify({ key: randomUUID(), ...toast });
  const value = writeCookie(toastCookie, marked, { baseUrl, maxAgeSeconds: 60 });
  response.headers.append('Set-Cookie', value);
  return response;
}
