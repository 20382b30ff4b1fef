import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { UntrustedHeader, UntrustedHeaderStore } from '#store/nodes/untrusted-headers';

const MEMORY_MS = 30 * 24 * 60 * 60_000;

const OTHER_HEADERS = [
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];
const LIST_HEADER = 'x-forwarded-for';
/** What proxies commonly write a client's address into, as Node spells it. */
export const ADDRESS_HEADERS: readonly string[] = [LIST_HEADER, ...OTHER_HEADERS];

/**
 * The header of a proxy that no setting trusts, or null. Behind such a proxy all clients have its address: one
 * of them uses up the limits of all.
 */
function findUntrusted(headers: IncomingHttpHeaders, trustedProxies: number): string | null {
  const list = headers[LIST_HEADER];
  const isListed = list !== undefined && String(list).split(',').length >= trustedProxies;
  if (isListed) return trustedProxies === 0 ? LIST_HEADER : null;
  return OTHER_HEADERS.find((name) => headers[name] !== undefined) ?? null;
}

/** Whether what was seen still tells something: lately, and with the setting as it is. */
export function isStillTrue(
  untrustedHeader: UntrustedHeader,
  trustedProxies: number,
  now: number,
): boolean {
  return untrustedHeader.trustedProxies === trustedProxies && now - untrustedHeader.at < MEMORY_MS;
}

export function describeUntrustedHeader({ header, trustedProxies }: UntrustedHeader): string {
  return trustedProxies === 0
    ? `requests come with ${header}, which nothing trusts: behind a proxy all clients count as one, so set TRUSTED_PROXIES to the number of proxies in front, each of which must add to X-Forwarded-For; without a proxy the header is made up, and rightly ignored`
    : `requests come with ${header}, but not with ${trustedProxies} entries in X-Forwarded-For, which TRUSTED_PROXIES counts on: they count by the address of the last proxy; have each proxy add to X-Forwarded-For, or set TRUSTED_PROXIES right`;
}

interface Deps {
  store: { untrustedHeaders: UntrustedHeaderStore };
  trustedProxies: number;
  clock: Clock;
  log: Log;
}

/** Tells the operator, once a process and at each start, of proxies that no setting knows of. */
export class ForwardingWatch {
  readonly #deps: Deps;
  #hasTold = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** What an earlier process saw, told at the start. */
  async start(): Promise<void> {
    const { store, trustedProxies, clock } = this.#deps;
    const known = await store.untrustedHeaders.read();
    if (known && isStillTrue(known, trustedProxies, clock.now())) this.#tell(known);
  }

  look(headers: IncomingHttpHeaders): void {
    if (this.#hasTold) return;
    const { store, trustedProxies, clock, log } = this.#deps;
    const header = findUntrusted(headers, trustedProxies);
    if (header === null) return;
    const untrustedHeader = { header, trustedProxies, at: clock.now() };
    this.#tell(untrustedHeader);
    // For the doctor and the next start; the request has better to do than to wait for it.
    store.untrustedHeaders
      .keep(untrustedHeader)
      .catch((error: unknown) => log.warn('proxy.sighting-not-kept', { error }));
  }

  #tell(untrustedHeader: UntrustedHeader): void {
    this.#hasTold = true;
    const { header, trustedProxies } = untrustedHeader;
    this.#deps.log.warn('proxy.not-trusted', {
      header,
      trustedProxies,
      remedy: describeUntrustedHeader(untrustedHeader),
    });
  }
}
