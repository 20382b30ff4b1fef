import { networkInterfaces } from 'node:os';
import type { Clock } from '#domain/base/clock';
import type { AddressRange } from '#domain/http/address-range';
import { judgeAddress } from '#domain/http/network';
import { isForEcho, type OwnEcho } from '#domain/http/own-echo';
import type { NameResolver } from './resolver.ts';
import type { Target } from './target.ts';

/** At least one judged address, or the reason. */
export type Guarded = readonly string[] | 'blocked' | 'unresolvable';

const OWN_ADDRESSES_TTL_MS = 5_000;

const MAX_VERDICTS = 1_024;

interface GuardOptions {
  clock: Clock;
  allowedNetworks: readonly AddressRange[];
  resolver: NameResolver;
  /** May be called at any address (§2.12). */
  echo: OwnEcho | null;
  readOwnAddresses?: () => readonly string[];
}

/**
 * Decides which addresses may be dialled (§2.11). One blocked address of a host blocks them all. Don't resolve the name
 * again.
 */
export class Guard {
  readonly #options: GuardOptions;
  #ownAddresses: ReadonlySet<string> = new Set();
  #ownReadAtMs = -Infinity;
  /** For as long as our own addresses are cached. */
  readonly #verdicts = new Map<string, boolean>();

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Synchronous if no lookup is needed. The promise never rejects. */
  judge({ site: { url, urlHost: host }, path }: Target): Guarded | Promise<Guarded> {
    const { echo, resolver } = this.#options;
    if (echo && isForEcho(url, path, echo)) return [echo.address];
    if (host.kind === 'ipv6') return 'unresolvable';
    if (host.kind === 'ipv4') return this.#judgeAll([host.address]);
    const known = resolver.recall(host.name);
    if (known !== undefined) return this.#judgeAll(known);
    return resolver.find(host.name).then((addresses) => this.#judgeAll(addresses));
  }

  /** The last check, on the address that was really dialled. */
  mayUse(address: string | undefined, port: number | undefined): boolean {
    if (address === undefined) return false;
    const { echo } = this.#options;
    return (address === echo?.address && port === echo.port) || this.#isAllowed(address);
  }

  #judgeAll(addresses: readonly string[] | null): Guarded {
    if (addresses === null) return 'unresolvable';
    for (const address of addresses) if (!this.#isAllowed(address)) return 'blocked';
    return addresses;
  }

  #isAllowed(address: string): boolean {
    const { clock, allowedNetworks, readOwnAddresses = readInterfaces } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#ownReadAtMs >= OWN_ADDRESSES_TTL_MS || this.#verdicts.size > MAX_VERDICTS) {
      this.#ownAddresses = new Set(readOwnAddresses());
      this.#ownReadAtMs = nowMs;
      this.#verdicts.clear();
    }
    const known = this.#verdicts.get(address);
    if (known !== undefined) return known;
    const isAllowed = judgeAddress(address, allowedNetworks, this.#ownAddresses) === 'allowed';
    this.#verdicts.set(address, isAllowed);
    return isAllowed;
  }
}

/** Empty if the system has no list. */
function readInterfaces(): string[] {
  try {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    return addresses.flatMap(({ family, address }) => (family === 'IPv4' ? [address] : []));
  } catch {
    return [];
  }
}
