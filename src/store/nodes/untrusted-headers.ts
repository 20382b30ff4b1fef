import type { SightingKind } from './sightings.ts';

/** A header of a proxy that came while no setting trusts it. */
export interface UntrustedHeader {
  header: string;
  /** The value of TRUSTED_PROXIES at that time. */
  trustedProxies: number;
  at: number;
}

/** The last header of a proxy that came while no proxy was trusted. */
export const UNTRUSTED_HEADERS: SightingKind<UntrustedHeader> = {
  key: 'untrusted_forwarding',
  write: ({ header, trustedProxies, at }) => `${at} ${trustedProxies} ${header}`,
  read: (text) => {
    const [at, trustedProxies, header = ''] = text.split(' ');
    return { header, trustedProxies: Number(trustedProxies), at: Number(at) };
  },
};
