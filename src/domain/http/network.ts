import { type AddressRange, isInRanges, isIPv4, readRange } from './address-range.ts';

/** Which addresses a request may be sent to (§2.11). `outgoing` checks every address that a name resolves to. */

type AddressVerdict = 'allowed' | 'blocked';

/** With every spelling of an address normalised. */
export type UrlHost =
  | { kind: 'name'; name: string }
  | { kind: 'ipv4'; address: string }
  | { kind: 'ipv6'; address: string };

/**
 * IANA's special-purpose registry without "globally reachable" networks, and multicast. On Azure, 168.63.129.16 is the
 * platform's server.
 */
const NOT_PUBLIC: readonly AddressRange[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].flatMap((text) => readNetwork(text) ?? []);

const NONE: ReadonlySet<string> = new Set();

/** Listed as globally reachable inside 192.0.0.0/24. */
const PUBLIC_EXCEPTIONS = ['192.0.0.9/32', '192.0.0.10/32'].flatMap(
  (text) => readNetwork(text) ?? [],
);

/**
 * @param ipv4 four decimal numbers; anything else is blocked
 * @param allowed private networks that the operator allows
 * @param own this machine's addresses, blocked even if public: a firewall may protect its ports from others
 */
export function judgeAddress(
  ipv4: string,
  allowed: readonly AddressRange[],
  own: ReadonlySet<string> = NONE,
): AddressVerdict {
  if (!isIPv4(ipv4)) return 'blocked';
  if (isInRanges(ipv4, allowed)) return 'allowed';
  if (own.has(ipv4)) return 'blocked';
  if (!isInRanges(ipv4, NOT_PUBLIC)) return 'allowed';
  return isInRanges(ipv4, PUBLIC_EXCEPTIONS) ? 'allowed' : 'blocked';
}

/**
 * Of http or https.
 *
 * The URL parser normalises all spellings, so the judged address is the dialled one. A name loses its trailing dot.
 */
export function hostOfUrl({ hostname: host }: URL): UrlHost {
  if (host.startsWith('[')) return { kind: 'ipv6', address: host.slice(1, -1) };
  if (isIPv4(host)) return { kind: 'ipv4', address: host };
  return { kind: 'name', name: host.endsWith('.') ? host.slice(0, -1) : host };
}

/** Of IPv4, such as `10.0.0.0/8`; null if it isn't one. */
export function readNetwork(text: string): AddressRange | null {
  const network = readRange(text);
  return network !== null && isIPv4(network.base) ? network : null;
}
