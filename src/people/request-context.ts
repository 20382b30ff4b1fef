import type { ProxyClaim } from './proxy-claim.ts';

/**
 * The origin of a request to sign in, reset a password and so on: its cookies, the person whom the proxy names, and the
 * address that limits count by.
 */
export interface RequestContext {
  headers: Headers;
  /** The address as §8.1 finds it, never one from a header that the client could write. */
  clientAddress: string;
  /** Whom the proxy in front says that the request is from. If it says something, no session cookie counts. */
  claim?: ProxyClaim | null;
}

/** The kinds of cookies. The auth library is shown only those that a call needs. */
export type CookieKind = 'session' | 'challenge' | 'passkey';

const COOKIE_NAMES: Record<CookieKind, RegExp> = {
  session: /^(?:__Host-|__Secure-)?belfry\.(?:session_token|dont_remember)$/,
  challenge: /^(?:__Host-|__Secure-)?belfry\.two_factor$/,
  passkey: /^(?:__Host-|__Secure-)?belfry\.passkey$/,
};

/** Picks the request's cookies of the given kinds, as the text of a `Cookie` header; empty where there are none. */
export function pickCookies(headers: Headers, kinds: readonly CookieKind[]): string {
  return (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => {
      const name = pair.slice(0, Math.max(0, pair.indexOf('=')));
      return kinds.some((kind) => COOKIE_NAMES[kind].test(name));
    })
    .join('; ');
}

/** The value of one cookie as it was sent; null where there is none of that name. */
export function readCookieText(headers: Headers, name: string): string | null {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

const LONGEST_USER_AGENT = 300;

/** The headers with which the auth library is called for a request. */
export function headersFor(
  { headers, clientAddress, claim }: RequestContext,
  kinds: readonly CookieKind[],
  addressHeader: string,
): Headers {
  const shown = new Headers({ [addressHeader]: clientAddress });
  // The cookie may be of another person's session.
  const counting = claim ? kinds.filter((kind) => kind !== 'session') : kinds;
  const cookies = pickCookies(headers, counting);
  if (cookies !== '') shown.set('cookie', cookies);
  const agent = headers.get('user-agent');
  if (agent) shown.set('user-agent', agent.slice(0, LONGEST_USER_AGENT));
  return shown;
}

/** The `Cookie` header that a browser would send after it got these `Set-Cookie` values. */
export function cookiesOf(setCookies: readonly string[]): Headers {
  const pairs = setCookies.map((text) => text.split(';')[0] ?? '');
  return new Headers({ cookie: pairs.join('; ') });
}
