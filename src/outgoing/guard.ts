import { hostOfUrl, judgeAddress, type Cidr } from '#domain/network';
import { isForEcho, type OwnEcho } from '#domain/own-echo';
import type { NameResolver } from './resolver.ts';
import type { Target } from './target.ts';

/** Where a request may be sent: at least one judged address, or why it may not be sent. */
export type Guarded = readonly string[] | 'blocked' | 'unresolvable';

/**
 * Decides which addresses may be dialled (§2.7, §2.11). It judges every address of a URL's host; one blocked address
 * blocks them all. Dial the addresses that it returns, and do not resolve the name again.
 */
export class Guard {
  readonly #allowed: readonly Cidr[];
  readonly #resolver: NameResolver;
  readonly #echo: OwnEcho | null;

  /** @param echo  the only target that may be called whatever its address (§2.12) */
  constructor(allowed: readonly Cidr[], resolver: NameResolver, echo: OwnEcho | null) {
    this.#allowed = allowed;
    this.#resolver = resolver;
    this.#echo = echo;
  }

  /** Judges a target's host; synchronously if no lookup is needed. The promise never rejects. */
  judge({ url, path }: Target): Guarded | Promise<Guarded> {
    if (this.#echo && isForEcho(url, path, this.#echo)) return [this.#echo.address];
    const host = hostOfUrl(url);
    if (host === null || host.kind === 'ipv6') return 'unresolvable';
    if (host.kind === 'ipv4') return this.#judgeAll([host.address]);
    const known = this.#resolver.recall(host.name);
    if (known !== null) return this.#judgeAll(known);
    return this.#resolver
      .find(host.name)
      .then((addresses) => (addresses === null ? 'unresolvable' : this.#judgeAll(addresses)));
  }

  /** Whether a connected socket may be used. This last check looks at the address that was really dialled. */
  mayUse(address: string | undefined, port: number | undefined): boolean {
    if (address === undefined) return false;
    const isEcho = address === this.#echo?.address && port === this.#echo.port;
    return isEcho || this.#isAllowed(address);
  }

  #isAllowed(address: string): boolean {
    return judgeAddress(address, this.#allowed) === 'allowed';
  }

  #judgeAll(addresses: readonly string[]): Guarded {
    for (const address of addresses) if (!this.#isAllowed(address)) return 'blocked';
    return addresses;
  }
}
