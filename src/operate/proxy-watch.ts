import { isInRanges, writeRanges } from '#domain/address-range';
import type { Arrival } from '#domain/arrival';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import { hasProxyHeader, type ProxySettings } from '#people/proxy-claim';
import type { SightingStore } from '#store/nodes/sightings';
import type { StrangeSignIn } from '#store/nodes/strange-sign-ins';
import { SIGHTING_MEMORY_MS, SightingWatch } from './sighting-watch.ts';

/** Whether a recorded sighting still matters: it is recent, and no setting has been changed to accept the proxy. */
export function isStillStrange(
  { at, header, address }: StrangeSignIn,
  { emailHeader, from }: ProxySettings,
  now: number,
): boolean {
  return now - at < SIGHTING_MEMORY_MS && header === emailHeader && !isInRanges(address, from);
}

export function describeStrangeSignIn(
  { header, address }: StrangeSignIn,
  { from }: ProxySettings,
): string {
  return `a request came with ${header} from ${address}, and PROXY_SIGN_IN_FROM names ${writeRanges(from)} alone, so it was ignored: if that is the proxy, add its address; if not, somebody tries to be another, and the port is better reached by the proxy alone`;
}

interface Deps {
  store: { strangeSignIns: SightingStore<StrangeSignIn> };
  settings: ProxySettings | null;
  clock: Clock;
  log: Log;
}

/** Warns the operator about the header of the sign-in proxy from elsewhere; without a proxy it does nothing. */
export class ProxyWatch {
  readonly #watched: { settings: ProxySettings; watch: SightingWatch<StrangeSignIn> } | null;
  readonly #clock: Clock;

  constructor({ store, settings, clock, log }: Deps) {
    this.#clock = clock;
    this.#watched = settings && {
      settings,
      watch: new SightingWatch({
        store: store.strangeSignIns,
        log,
        isStillTrue: (known) => isStillStrange(known, settings, clock.now()),
        tell: (seen) => {
          const { header, address } = seen;
          const remedy = describeStrangeSignIn(seen, settings);
          log.warn('proxy.sign-in-not-trusted', { header, address, remedy });
        },
      }),
    };
  }

  /** Warns at the start about requests that an earlier process has seen. */
  async start(): Promise<void> {
    await this.#watched?.watch.start();
  }

  look(arrival: Arrival): void {
    if (this.#watched === null || this.#watched.watch.hasTold) return;
    const { settings, watch } = this.#watched;
    const address = arrival.address ?? 'an unknown address';
    if (!hasProxyHeader(arrival, settings) || isInRanges(address, settings.from)) return;
    watch.see({ header: settings.emailHeader, address, at: this.#clock.now() });
  }
}
