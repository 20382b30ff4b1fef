import type { IncomingHttpHeaders } from 'node:http';
import { isInRanges, writeRanges } from '#domain/http/address-range';
import { type Arrival, CLIENT_ADDRESS_HEADERS, isLoopbackHost } from '#domain/http/arrival';
import type { Clock } from '#domain/base/clock';
import { DAY_MS } from '#domain/base/instant';
import type { Log } from '#domain/base/log';
import { hasProxyHeader, type ProxySettings } from '#people/proxy-claim';
import type { Sightings, UntrustedHeader, UntrustedSignIn } from '#store/nodes/sightings';

interface Request extends Arrival {
  headers: IncomingHttpHeaders;
  path: string;
}

/** Requests show that a setting about proxies is wrong. */
interface Doubt<Seen> {
  event: string;
  find(request: Request): Omit<Seen, 'at'> | null;
  /** The setting is the same as then. */
  isSame(seen: Seen): boolean;
  describe(seen: Seen): string;
}

/** Reported again at each start. */
const MEMORY_MS = 30 * DAY_MS;

export function isStillTrue<Seen extends { at: number }>(
  doubt: Doubt<Seen>,
  seen: Seen | null,
  now: number,
): seen is Seen {
  return seen !== null && now - seen.at < MEMORY_MS && doubt.isSame(seen);
}

/** Warns once per process, and at each start about requests that an earlier process has seen. */
export function watchFor<Seen extends { at: number }>(
  doubt: Doubt<Seen>,
  { store, clock, log }: { store: Sightings<Seen>; clock: Clock; log: Log },
) {
  let hasWarned = false;
  const warn = (seen: Seen) => {
    hasWarned = true;
    const { at: _, ...facts } = seen;
    log.warn(doubt.event, { ...facts, remedy: doubt.describe(seen) });
  };
  return {
    start: async () => {
      const known = await store.read();
      if (isStillTrue(doubt, known, clock.now())) warn(known);
    },
    look: (request: Request) => {
      const found = hasWarned ? null : doubt.find(request);
      if (found === null) return;
      const seen = { ...found, at: clock.now() } as Seen;
      warn(seen);
      // For the doctor and the next start. The request doesn't wait.
      store.keep(seen).catch((error: unknown) => log.warn('proxy.sighting-not-kept', { error }));
    },
  };
}

const LIST_HEADER = 'x-forwarded-for';
/** The request bypassed the proxies. */
const NONE = 'none';
/** Monitors request these without a proxy. */
const PROBED = new Set(['/healthz', '/readyz', '/metrics', '/openapi.json']);

/**
 * A header of a proxy that TRUSTED_PROXIES doesn't count. Behind it, all clients have the proxy's address, and one can
 * use up the limits of all. `NONE` if the request bypassed the proxies: such a client can make up its address.
 */
export const untrustedForwarding = (trustedProxies: number): Doubt<UntrustedHeader> => ({
  event: 'proxy.not-trusted',
  find: (request) => {
    const header = findUntrusted(request, trustedProxies);
    return header === null ? null : { header, trustedProxies };
  },
  isSame: (seen) => seen.trustedProxies === trustedProxies,
  describe: ({ header }) => {
    if (header === NONE) {
      return `requests come without X-Forwarded-For, although TRUSTED_PROXIES is ${trustedProxies}: a client that reaches the service past the proxies can make up its address; let only the proxies connect, or lower TRUSTED_PROXIES`;
    }
    return trustedProxies === 0
      ? `requests come with ${header}, which nothing trusts: behind a proxy all clients count as one, so set TRUSTED_PROXIES to the number of proxies in front, each of which must add to X-Forwarded-For; without a proxy the header is made up, and rightly ignored`
      : `requests come with ${header}, but not with ${trustedProxies} entries in X-Forwarded-For, which TRUSTED_PROXIES counts on: they count by the address of the last proxy; have each proxy add to X-Forwarded-For, or set TRUSTED_PROXIES right`;
  },
});

function findUntrusted(request: Request, trustedProxies: number): string | null {
  const { headers } = request;
  const list = headers[LIST_HEADER];
  if (list !== undefined) {
    const isListed = String(list).split(',').length >= trustedProxies;
    return isListed && trustedProxies > 0 ? null : LIST_HEADER;
  }
  const other = CLIENT_ADDRESS_HEADERS.find((name) => headers[name] !== undefined);
  if (other !== undefined) return other;
  return trustedProxies > 0 && isFromElsewhere(request) ? NONE : null;
}

function isFromElsewhere({ address, path }: Request): boolean {
  if (address === undefined || isLoopbackHost(address.replace(/^::ffff:/i, ''))) return false;
  return !PROBED.has(path.split('?', 1)[0] ?? '');
}

/** The header of the sign-in proxy came from elsewhere. */
export const untrustedSignIn = (settings: ProxySettings): Doubt<UntrustedSignIn> => {
  const { emailHeader, from } = settings;
  return {
    event: 'proxy.sign-in-not-trusted',
    find: (request) => {
      const { address = 'an unknown address' } = request;
      const isUntrusted = hasProxyHeader(request, settings) && !isInRanges(address, from);
      return isUntrusted ? { header: emailHeader, address } : null;
    },
    isSame: ({ header, address }) => header === emailHeader && !isInRanges(address, from),
    describe: ({ header, address }) =>
      `a request came with ${header} from ${address}, and PROXY_SIGN_IN_FROM names ${writeRanges(from)} alone, so it was ignored: if that is the proxy, add its address; if not, someone tries to be another, and the port is better reached by the proxy alone`,
  };
};
