import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from './cookies.ts';

/** TOTP (RFC 6238): SHA-1, six digits, 30 seconds. */

const STEP_MS = 30_000;
/** RFC 4226 §4 recommends 160 bits. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32. */
export function makeTotpSecret(): string {
  const bits = Array.from(randomBytes(SECRET_BYTES), (byte) => byte.toString(2).padStart(8, '0'));
  const digits = bits.join('').match(/.{5}/g) ?? [];
  return digits.map((digit) => BASE32[Number.parseInt(digit, 2)]).join('');
}

export function totpUri(secret: string, email: string): string {
  const options = `secret=${secret}&issuer=Belfry&algorithm=SHA1&digits=6&period=30`;
  return `otpauth://totp/Belfry:${encodeURIComponent(email)}?${options}`;
}

/** The previous and next step count too, because clocks differ. */
export function matchTotp(secret: string, code: string, now: number): number | null {
  const current = Math.floor(now / STEP_MS);
  // Compares every step, so the time doesn't reveal the matching one.
  const matching = [current - 1, current, current + 1].filter((step) =>
    isSame(code, codeOf(secret, step)),
  );
  return matching.at(-1) ?? null;
}

function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
