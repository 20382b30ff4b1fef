import { hostOfUrl, judgeAddress, type Cidr } from '#domain/network';
import type { NameResolver } from './resolver.ts';

/** Where a request may go: judged addresses, at least one, or why it may go nowhere. */
export type Guarded = readonly string[] | 'blocked' | 'unresolvable';

/**
 * The one door to the network (§2.7, D20): every address that a URL's host stands for is judged, and a
 * single blocked one blocks them all. What it lets through is what must be dialled, not the name again.
 */
export class Guard {
  readonly #allowed: readonly Cidr[];
  readonly #resolver: NameResolver;

  constructor(allowed: readonly Cidr[], resolver: NameResolver) {
    this.#allowed = allowed;
    this.#resolver = resolver;
  }

  /** Judges a URL's host; at once where nobody has to be asked. The promise never rejects. */
  judge(url: URL): Guarded | Promise<Guarded> {
    const host = hostOfUrl(url);
    if (host === null || host.kind === 'ipv6') return 'unresolvable';
    if (host.kind === 'ipv4') return this.#judgeAll([host.address]);
    const known = this.#resolver.recall(host.name);
    if (known !== null) return this.#judgeAll(known);
    return this.#resolver
      .find(host.name)
      .then((addresses) => (addresses === null ? 'unresolvable' : this.#judgeAll(addresses)));
  }

  /** Whether a connection that stands may be used: the last look, at what was really dialled. */
  isAllowed(address: string | undefined): boolean {
    return address !== undefined && judgeAddress(address, this.#allowed) === 'allowed';
  }

  #judgeAll(addresses: readonly string[]): Guarded {
    for (const address of addresses) if (!this.isAllowed(address)) return 'blocked';
    return addresses;
  }
}
