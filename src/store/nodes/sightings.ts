import type { Context } from '../database/context.ts';
import { one, put } from '../database/rows.ts';

export interface UntrustedHeader {
  header: string;
  trustedProxies: number;
  at: number;
}

/** From elsewhere than the proxy. The name isn't kept. */
export interface UntrustedSignIn {
  header: string;
  address: string;
  at: number;
}

/** Where the last sighting of each kind is kept in `installation`. */
export const SIGHTING_KEYS = {
  untrustedHeaders: 'untrusted_header',
  untrustedSignIns: 'untrusted_sign_in_header',
} as const;

export function readSighting<T>(text: string | undefined): T | null {
  return text === undefined ? null : (JSON.parse(text) as T);
}

/** A sighting is a fact seen in requests that the operator must learn. */
export interface Sightings<T> {
  keep(sighting: T): Promise<void>;
  read(): Promise<T | null>;
}

export function sightings<T>({ main }: Context, kind: keyof typeof SIGHTING_KEYS): Sightings<T> {
  const key = SIGHTING_KEYS[kind];
  return {
    async keep(sighting) {
      await put(main, 'installation', { key }, { value: JSON.stringify(sighting) });
    },
    async read() {
      const row = await one(main, 'installation', { key }, ['value']);
      return readSighting<T>(row?.value);
    },
  };
}
