import { createHash, timingSafeEqual } from 'node:crypto';
import { deriveSecret } from './secrets.ts';

/** Letters and digits that are not easily confused. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 12;

/**
 * The code that proves to `/setup` that its bearer is the operator. Its 60 bits are derived from the installation's
 * key, so that every node, the log and the command line show the same code.
 */
export function makeSetupCode(appKey: Uint8Array): string {
  const bytes = Buffer.from(deriveSecret(appKey, 'belfry setup code'), 'base64url');
  const letters = Array.from(bytes.subarray(0, LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}

/** Compares a typed code with the right one; dashes, blanks and case do not matter. */
export function isSetupCode(given: string, code: string): boolean {
  const digest = (text: string) =>
    createHash('sha256').update(text.toUpperCase().replaceAll(/[\s-]/g, '')).digest();
  return timingSafeEqual(digest(given), digest(code));
}
