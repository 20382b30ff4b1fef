import ipaddr from 'ipaddr.js';

export interface AddressRange {
  base: string;
  prefix: number;
}

const MOST_RANGES = 100;

/** Null if an entry is invalid or covers all addresses. */
export function parseRanges(text: string): AddressRange[] | null {
  const entries = text.split(',');
  if (entries.length > MOST_RANGES) return null;
  const ranges = entries.map((entry) => readRange(entry.trim()));
  return ranges.every((range) => range !== null && range.prefix > 0)
    ? (ranges as AddressRange[])
    : null;
}

/** @param address a socket's: an IPv4 address may be written as IPv6, and a zone may follow */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  const plain = readAddress(address.split('%')[0] ?? '');
  if (plain === null) return false;
  return ranges.some(({ base, prefix }) => {
    const first = readAddress(base);
    return first !== null && first.kind() === plain.kind() && plain.match(first, prefix);
  });
}

export function writeRanges(ranges: readonly AddressRange[]): string {
  return ranges.map(writeRange).join(', ');
}

function writeRange({ base, prefix }: AddressRange): string {
  return prefix === (base.includes(':') ? 128 : 32) ? base : `${base}/${prefix}`;
}

export function readRange(text: string): AddressRange | null {
  const [written = '', bits, ...more] = text.split('/');
  const address = readAddress(written);
  // An IPv4 address that is written as IPv6 has a prefix with another meaning.
  if (address === null || more.length > 0 || /^::ffff:|%/i.test(written)) return null;
  const most = address.kind() === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return null;
  const prefix = bits === undefined ? most : Number(bits);
  if (prefix > most) return null;
  const cidr = `${address.toString()}/${prefix}`;
  const base =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return { base: base.toString(), prefix };
}

/** Refuses leading zeros, which some programs read as octal. */
export function isIPv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** The parser alone would accept `1` and `0x7f.1`. IPv4 that is written as IPv6 is IPv4. */
export function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const isAddress = text.includes(':') ? ipaddr.IPv6.isValid(text) : isIPv4(text);
  return isAddress ? ipaddr.process(text) : null;
}
