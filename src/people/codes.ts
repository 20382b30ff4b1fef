import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveSecret, macOf } from './secrets.ts';

/** Without those that are easily confused. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** 60 bits. */
const LENGTH = 12;
const RECOVERY_CODES = 10;

/** `ABCD-EFGH-JKLM`. */
function writeCode(bytes: Uint8Array): string {
  const letters = Array.from(bytes.subarray(0, LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}

const plain = (code: string) => code.toUpperCase().replaceAll(/[\s-]/g, '');

/** Proves to `/setup` that its bearer is the operator. The same on every node and command. */
export function makeSetupCode(appKey: Uint8Array): string {
  return writeCode(Buffer.from(deriveSecret(appKey, 'belfry setup code'), 'base64url'));
}

export function isSetupCode(given: string, code: string): boolean {
  const digest = (text: string) => createHash('sha256').update(plain(text)).digest();
  return timingSafeEqual(digest(given), digest(code));
}

export function makeRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => writeCode(randomBytes(LENGTH)));
}

/** Keyed, so that no one can search a stolen database for codes. */
export function hashRecoveryCode(appKey: Uint8Array, userId: string, code: string): string {
  return macOf(appKey, 'belfry recovery codes', `${userId} ${plain(code)}`);
}
