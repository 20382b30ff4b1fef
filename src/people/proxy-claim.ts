import { isUtf8 } from 'node:buffer';
import { type AddressRange, isInRanges } from '#domain/http/address-range';
import { type Arrival, readAll } from '#domain/http/arrival';
import { normalizeEmail } from '#domain/team/email-address';
import { checkEmail } from './fields.ts';
import { readGroupsHeader } from './groups.ts';

/** Header names are in lower case. */
export interface ProxySettings {
  emailHeader: string;
  nameHeader: string | null;
  groupsHeader: string | null;
  groupSeparator: string;
  /** From other addresses, the headers are ignored. */
  from: readonly AddressRange[];
  /** A URL, or a path on the public address. */
  signOutUrl: string | null;
}

export const PROXY_NAME = 'the proxy';

export type ProxyClaim =
  | { kind: 'person'; email: string; name: string | null; groups: readonly string[] | null }
  | { kind: 'untrusted' };

/** Null if the headers are missing or not from the proxy. */
export function readProxyClaim(arrival: Arrival, settings: ProxySettings): ProxyClaim | null {
  const { emailHeader, nameHeader, groupsHeader, groupSeparator, from } = settings;
  if (!isInRanges(arrival.address ?? '', from)) return null;
  const all = [emailHeader, nameHeader, groupsHeader].map((name) =>
    name === null ? [] : readAll(arrival, name),
  );
  // A second one may be the client's own.
  if (all.some((values) => values.length > 1)) return { kind: 'untrusted' };
  const [email = null, name = null, groups = null] = all.map(([value]) => decode(value));
  if (email === null) return null;
  const address = normalizeEmail(email);
  if (checkEmail(address).length > 0) return { kind: 'untrusted' };
  return {
    kind: 'person',
    email: address,
    // An encoded word (RFC 2047) isn't readable.
    name: name?.startsWith('=?') ? null : name,
    groups: groupsHeader === null ? null : readGroupsHeader(groups, groupSeparator),
  };
}

/** Whether the proxy's header is present, from a trusted sender or not. */
export function hasProxyHeader({ rawHeaders }: Arrival, { emailHeader }: ProxySettings): boolean {
  return rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === emailHeader);
}

/** Node shows bytes as Latin-1; proxies send UTF-8. Null for an empty one. */
function decode(value = ''): string | null {
  const bytes = Buffer.from(value, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString() : value;
  return text.trim() || null;
}
