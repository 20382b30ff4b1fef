export interface Arrival {
  /** Names and values in turn, as in `IncomingMessage`. */
  rawHeaders: readonly string[];
  address: string | undefined;
}

/** In lower case. */
export const CLIENT_ADDRESS_HEADERS: readonly string[] = [
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];
const FORWARDING = new Set([
  ...CLIENT_ADDRESS_HEADERS,
  'via',
  'x-original-for',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-proto',
]);

/** In order. `name` is in lower case. */
export function readAll({ rawHeaders }: Arrival, name: string): string[] {
  return rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
}

/**
 * Whether a program on this machine sent the request to a loopback name, without a proxy. The check of `Host` blocks
 * web pages whose name resolves to a loopback address (DNS rebinding).
 */
export function isLocal(arrival: Arrival): boolean {
  const { rawHeaders, address = '' } = arrival;
  const hosts = readAll(arrival, 'host');
  const isForwarded = rawHeaders.some((name, at) => at % 2 === 0 && isForwarding(name));
  const [host = ''] = hosts;
  return (
    isLoopbackHost(address.replace(/^::ffff:/i, '')) &&
    !isForwarded &&
    hosts.length === 1 &&
    isLoopbackHost(host.replace(/:\d{1,5}$/, ''))
  );
}

export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare);
}

function isForwarding(name: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith('x-forwarded') || FORWARDING.has(lower);
}
