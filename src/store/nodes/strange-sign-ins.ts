import type { SightingKind } from './sightings.ts';

/** A header with a user's name that did not come from the proxy. The name is not kept. */
export interface StrangeSignIn {
  header: string;
  /** The socket's. */
  address: string;
  at: number;
}

/** The last header of the sign-in proxy that came from elsewhere. */
export const STRANGE_SIGN_INS: SightingKind<StrangeSignIn> = {
  key: 'strange_sign_in',
  write: ({ header, address, at }) => `${at} ${header} ${address}`,
  read: (text) => {
    const [at, header = '', ...address] = text.split(' ');
    return { header, address: address.join(' '), at: Number(at) };
  },
};
