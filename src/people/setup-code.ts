import { createHash, timingSafeEqual } from 'node:crypto';
import { deriveSecret } from './secrets.ts';

/** Letters and digits that nobody takes for one another. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 12;

/**
 * What somebody who makes the first account from elsewhere shows that they are the operator with: 60 bits that
 * follow from the installation's key, so that every node, the log and the command line name the same.
 */
export function makeSetupCode(appKey: Uint8Array): string {
  const bytes = Buffer.from(deriveSecret(appKey, 'belfry setup code'), 'base64url');
  const letters = Array.from(bytes.subarray(0, LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}

/** Dashes, blanks and case do not matter. */
export function isSetupCode(given: string, code: string): boolean {
  const digest = (text: string) =>
    createHash('sha256').update(text.toUpperCase().replaceAll(/[\s-]/g, '')).digest();
  return timingSafeEqual(digest(given), digest(code));
}
