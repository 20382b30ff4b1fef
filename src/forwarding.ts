import type { IncomingHttpHeaders } from 'node:http';
import { CLIENT_ADDRESS_HEADERS } from '#domain/arrival';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { SightingStore } from '#store/nodes/sightings';
import type { UntrustedHeader } from '#store/nodes/untrusted-headers';
import { SIGHTING_MEMORY_MS, SightingWatch } from './sighting-watch.ts';

const LIST_HEADER = 'x-forwarded-for';

/**
 * Finds a header that was added by a proxy that TRUSTED_PROXIES does not count; null if there is none. Behind such a
 * proxy all clients have the proxy's address, and one of them can use up the limits of all.
 */
function findUntrusted(headers: IncomingHttpHeaders, trustedProxies: number): string | null {
  const list = headers[LIST_HEADER];
  const isListed = list !== undefined && String(list).split(',').length >= trustedProxies;
  if (isListed) return trustedProxies === 0 ? LIST_HEADER : null;
  return CLIENT_ADDRESS_HEADERS.find((name) => headers[name] !== undefined) ?? null;
}

/** Whether a recorded header still matters: it was seen recently, and the setting has not changed since. */
export function isStillTrue(
  untrustedHeader: UntrustedHeader,
  trustedProxies: number,
  now: number,
): boolean {
  const isRecent = now - untrustedHeader.at < SIGHTING_MEMORY_MS;
  return untrustedHeader.trustedProxies === trustedProxies && isRecent;
}

export function describeUntrustedHeader({ header, trustedProxies }: UntrustedHeader): string {
  return trustedProxies === 0
    ? `requests come with ${header}, which nothing trusts: behind a proxy all clients count as one, so set TRUSTED_PROXIES to the number of proxies in front, each of which must add to X-Forwarded-For; without a proxy the header is made up, and rightly ignored`
    : `requests come with ${header}, but not with ${trustedProxies} entries in X-Forwarded-For, which TRUSTED_PROXIES counts on: they count by the address of the last proxy; have each proxy add to X-Forwarded-For, or set TRUSTED_PROXIES right`;
}

interface Deps {
  store: { untrustedHeaders: SightingStore<UntrustedHeader> };
  trustedProxies: number;
  clock: Clock;
  log: Log;
}

/** Warns the operator about proxies that no setting counts. */
export class ForwardingWatch {
  readonly #deps: Deps;
  readonly #watch: SightingWatch<UntrustedHeader>;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { store, trustedProxies, clock, log } = deps;
    this.#watch = new SightingWatch({
      store: store.untrustedHeaders,
      log,
      isStillTrue: (known) => isStillTrue(known, trustedProxies, clock.now()),
      tell: (seen) => {
        const remedy = describeUntrustedHeader(seen);
        const { header } = seen;
        log.warn('proxy.not-trusted', { header, trustedProxies: seen.trustedProxies, remedy });
      },
    });
  }

  /** Warns at the start about what an earlier process has seen. */
  async start(): Promise<void> {
    await this.#watch.start();
  }

  look(headers: IncomingHttpHeaders): void {
    if (this.#watch.hasTold) return;
    const { trustedProxies, clock } = this.#deps;
    const header = findUntrusted(headers, trustedProxies);
    if (header !== null) this.#watch.see({ header, trustedProxies, at: clock.now() });
  }
}
