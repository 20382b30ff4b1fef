import { isInRanges, writeRanges } from '#domain/http/address-range';
import type { Arrival } from '#domain/http/arrival';
import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import { hasProxyHeader, type ProxySettings } from '#people/proxy-claim';
import type { Sightings, UntrustedSignIn } from '#store/nodes/sightings';
import { SIGHTING_MEMORY_MS, type SightingWatch, watchFor } from './sighting-watch.ts';

/** Recent, and no setting accepts the proxy since. */
export function isStillUntrusted(
  { at, header, address }: UntrustedSignIn,
  { emailHeader, from }: ProxySettings,
  now: number,
): boolean {
  return now - at < SIGHTING_MEMORY_MS && header === emailHeader && !isInRanges(address, from);
}

export function describeUntrustedSignIn(
  { header, address }: UntrustedSignIn,
  { from }: ProxySettings,
): string {
  return `a request came with ${header} from ${address}, and PROXY_SIGN_IN_FROM names ${writeRanges(from)} alone, so it was ignored: if that is the proxy, add its address; if not, someone tries to be another, and the port is better reached by the proxy alone`;
}

interface Deps {
  store: { untrustedSignIns: Sightings<UntrustedSignIn> };
  settings: ProxySettings;
  clock: Clock;
  log: Log;
}

/** The header of the sign-in proxy came from elsewhere. */
export function watchProxySignIn({ store, settings, clock, log }: Deps): SightingWatch<Arrival> {
  return watchFor({
    store: store.untrustedSignIns,
    log,
    find: (arrival: Arrival) => {
      const { address = 'an unknown address' } = arrival;
      const isUntrusted = hasProxyHeader(arrival, settings) && !isInRanges(address, settings.from);
      return isUntrusted ? { header: settings.emailHeader, address, at: clock.now() } : null;
    },
    isStillTrue: (known) => isStillUntrusted(known, settings, clock.now()),
    warn: ({ header, address, at }) => {
      const remedy = describeUntrustedSignIn({ header, address, at }, settings);
      log.warn('proxy.sign-in-not-trusted', { header, address, remedy });
    },
  });
}
