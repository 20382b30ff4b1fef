import { type AddressRange, isInRanges, isIPv4, readRange, writeRange } from './address-range.ts';

/**
 * Which addresses a request may be sent to (§2.7, §2.11). Decides on numbers and texts alone and looks nothing up.
 * The outgoing room checks every address that a name resolves to.
 */

/** A network of IPv4 addresses. */
export type Cidr = AddressRange;

type AddressVerdict = 'allowed' | 'blocked';

/** The host of a URL, with every spelling of an address normalised. */
export type UrlHost =
  | { kind: 'name'; name: string }
  | { kind: 'ipv4'; address: string }
  | { kind: 'ipv6'; address: string };

/**
 * The entries of IANA's IPv4 special-purpose registry that are not "globally reachable", and multicast, which has its
 * own registry. 192.88.99.0/24 is listed there as deprecated: nothing is reached through it. 168.63.129.16 is a public
 * number, but on Azure it is the platform's own server, reachable from virtual machines only.
 */
const NOT_PUBLIC: readonly Cidr[] = [
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
].flatMap((text) => readCidr(text) ?? []);

const NONE: ReadonlySet<string> = new Set();

/** Two anycast services that the registry lists as globally reachable inside 192.0.0.0/24. */
const PUBLIC_EXCEPTIONS = ['192.0.0.9/32', '192.0.0.10/32'].flatMap((text) => readCidr(text) ?? []);

/**
 * Reads the setting `ALLOWED_NETWORKS`: IPv4 CIDRs (or single addresses) separated by commas.
 * An empty text is an empty list; the error names the entry that cannot be read.
 */
export function parseNetworks(text: string): Cidr[] | { error: string } {
  const networks: Cidr[] = [];
  for (const entry of text.split(',')) {
    const written = entry.trim();
    if (written === '') continue;
    const network = readCidr(written);
    if (network === null)
      return { error: `"${written}" is not an IPv4 network such as 10.0.0.0/8` };
    networks.push(network);
  }
  return networks;
}

/**
 * Judges one address that a name resolved to or a URL named.
 *
 * @param ipv4 four decimal numbers with dots; anything else is blocked
 * @param allowed networks that the operator allows although they are not public
 * @param own addresses of this machine, which are blocked although they may be public: a firewall may hide its ports
 * from others
 */
export function judgeAddress(
  ipv4: string,
  allowed: readonly Cidr[],
  own: ReadonlySet<string> = NONE,
): AddressVerdict {
  if (!isIPv4(ipv4)) return 'blocked';
  if (isInRanges(ipv4, allowed)) return 'allowed';
  if (own.has(ipv4)) return 'blocked';
  if (!isInRanges(ipv4, NOT_PUBLIC)) return 'allowed';
  return isInRanges(ipv4, PUBLIC_EXCEPTIONS) ? 'allowed' : 'blocked';
}

/**
 * Returns the host of a URL, or null if the text is not an http(s) URL.
 *
 * The URL parser itself normalises decimal, octal, hexadecimal and short spellings of an address and removes a
 * trailing dot from it, so the address that is judged is the one that is dialled. A name loses its trailing dot.
 */
export function hostOfUrl(url: string | URL): UrlHost | null {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
  const host = parsed.hostname;
  if (host === '') return null;
  if (host.startsWith('[')) return { kind: 'ipv6', address: host.slice(1, -1) };
  if (isIPv4(host)) return { kind: 'ipv4', address: host };
  return { kind: 'name', name: host.endsWith('.') ? host.slice(0, -1) : host };
}

/** Networks as people write them: `10.0.0.0/8`, and a single address without its prefix. */
export function writeNetworks(networks: readonly Cidr[]): string[] {
  return networks.map(writeRange);
}

function readCidr(text: string): Cidr | null {
  const network = readRange(text);
  return network !== null && isIPv4(network.base) ? network : null;
}
