import { isUtf8 } from 'node:buffer';
import { type AddressRange, isInRanges } from '#domain/address-range';
import { type Arrival, readAll } from '#domain/arrival';
import { checkEmail, normalizeEmail } from './fields.ts';
import { readGroupsHeader } from './groups.ts';

/** The proxy in front that signs users in and names them in headers. Header names are in lower case. */
export interface ProxySettings {
  emailHeader: string;
  nameHeader: string | null;
  /** Null: the proxy sends no groups. */
  groupsHeader: string | null;
  groupSeparator: string;
  /** The addresses of the proxy. From others, the headers are ignored. */
  from: readonly AddressRange[];
  /** The proxy's sign-out page: a URL, or a path on the public address. */
  signOutUrl: string | null;
}

/** The proxy's name in texts. */
export const PROXY_NAME = 'the proxy';

/** The user whom the proxy names in a request. */
export type ProxyClaim =
  | { kind: 'person'; email: string; name: string | null; groups: readonly string[] | null }
  /** The headers are invalid; the request is nobody's. */
  | { kind: 'not-believed' };

/** Null if the headers are missing or not from the proxy. */
export function readProxyClaim(arrival: Arrival, settings: ProxySettings): ProxyClaim | null {
  const { emailHeader, nameHeader, groupsHeader, groupSeparator, from } = settings;
  if (!isInRanges(arrival.address ?? '', from)) return null;
  const all = [emailHeader, nameHeader, groupsHeader].map((name) =>
    name === null ? [] : readAll(arrival, name),
  );
  // A second one may be the client's own.
  if (all.some((values) => values.length > 1)) return { kind: 'not-believed' };
  const [email = null, name = null, groups = null] = all.map(([value]) => decode(value));
  if (email === null) return null;
  const address = normalizeEmail(email);
  if (checkEmail(address).length > 0) return { kind: 'not-believed' };
  return {
    kind: 'person',
    email: address,
    // An encoded word (RFC 2047) is no name for people.
    name: name?.startsWith('=?') ? null : name,
    groups: groupsHeader === null ? null : readGroupsHeader(groups, groupSeparator),
  };
}

/** Whether a request has the header with the user, from any sender. */
export function hasProxyHeader({ rawHeaders }: Arrival, { emailHeader }: ProxySettings): boolean {
  return rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === emailHeader);
}

/** Headers are bytes, which Node shows as Latin-1; proxies mean UTF-8. Null for an empty one. */
function decode(value = ''): string | null {
  const bytes = Buffer.from(value, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString() : value;
  return text.trim() || null;
}
