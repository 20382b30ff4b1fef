import type { IncomingHttpHeaders } from 'node:http';
import { CLIENT_ADDRESS_HEADERS, isLoopbackHost } from '#domain/http/arrival';
import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import type { Sightings, UntrustedHeader } from '#store/nodes/sightings';
import { SIGHTING_MEMORY_MS, type SightingWatch, watchFor } from './sighting-watch.ts';

const LIST_HEADER = 'x-forwarded-for';

/** The request bypassed the proxies. */
const NONE = 'none';
/** Monitors request these without a proxy. */
const PROBED = new Set(['/healthz', '/readyz', '/metrics', '/openapi.json']);

interface ForwardedRequest {
  headers: IncomingHttpHeaders;
  address: string | undefined;
  path: string;
}

/**
 * A header of a proxy that TRUSTED_PROXIES doesn't count. Behind it, all clients have the proxy's address, and one can
 * use up the limits of all. `NONE` if the request bypassed the proxies: such a client can make up its address.
 */
function findUntrusted(request: ForwardedRequest, trustedProxies: number): string | null {
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

function isFromElsewhere({ address, path }: ForwardedRequest): boolean {
  if (address === undefined || isLoopbackHost(address.replace(/^::ffff:/i, ''))) return false;
  return !PROBED.has(path.split('?', 1)[0] ?? '');
}

/** Recent, and the setting hasn't changed since. */
export function isStillTrue(
  untrustedHeader: UntrustedHeader,
  trustedProxies: number,
  now: number,
): boolean {
  const isRecent = now - untrustedHeader.at < SIGHTING_MEMORY_MS;
  return untrustedHeader.trustedProxies === trustedProxies && isRecent;
}

export function describeUntrustedHeader({ header, trustedProxies }: UntrustedHeader): string {
  if (header === NONE) {
    return `requests come without X-Forwarded-For, although TRUSTED_PROXIES is ${trustedProxies}: a client that reaches the service past the proxies can make up its address; let only the proxies connect, or lower TRUSTED_PROXIES`;
  }
  return trustedProxies === 0
    ? `requests come with ${header}, which nothing trusts: behind a proxy all clients count as one, so set TRUSTED_PROXIES to the number of proxies in front, each of which must add to X-Forwarded-For; without a proxy the header is made up, and rightly ignored`
    : `requests come with ${header}, but not with ${trustedProxies} entries in X-Forwarded-For, which TRUSTED_PROXIES counts on: they count by the address of the last proxy; have each proxy add to X-Forwarded-For, or set TRUSTED_PROXIES right`;
}

interface Deps {
  store: { untrustedHeaders: Sightings<UntrustedHeader> };
  trustedProxies: number;
  clock: Clock;
  log: Log;
}

export function watchForwarding({
  store,
  trustedProxies,
  clock,
  log,
}: Deps): SightingWatch<ForwardedRequest> {
  return watchFor({
    store: store.untrustedHeaders,
    log,
    find: (request: ForwardedRequest) => {
      const header = findUntrusted(request, trustedProxies);
      return header === null ? null : { header, trustedProxies, at: clock.now() };
    },
    isStillTrue: (known) => isStillTrue(known, trustedProxies, clock.now()),
    warn: ({ header, ...seen }) => {
      const remedy = describeUntrustedHeader({ header, ...seen });
      log.warn('proxy.not-trusted', { header, trustedProxies: seen.trustedProxies, remedy });
    },
  });
}
