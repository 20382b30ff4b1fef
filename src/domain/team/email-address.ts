import { LIMITS } from '../base/limits.ts';

/** Keeps out typing errors and markup. Only a mail that arrives shows that an address exists. */
const EMAIL = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;

/** @param address as `normalizeEmail` gives it */
export function isEmail(address: string): boolean {
  return address.length <= LIMITS.emailCharacters && EMAIL.test(address);
}

/**
 * Only ASCII letters change: other alphabets have letters whose lower case is ASCII (the Kelvin sign's is k), which
 * would select another user's account.
 */
export function normalizeEmail(email: string): string {
  return email.trim().replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
