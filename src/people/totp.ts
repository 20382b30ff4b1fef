import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from './cookies.ts';

/** Codes of an authenticator: TOTP (RFC 6238) with SHA-1, six digits and steps of 30 seconds, which all of them support. */

const STEP_MS = 30_000;
/** RFC 4226 §4 recommends 160 bits. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32. */
export function makeTotpSecret(): string {
  const bits = Array.from(randomBytes(SECRET_BYTES), (byte) => byte.toString(2).padStart(8, '0'));
  const digits = bits.join('').match(/.{5}/g) ?? [];
  return digits.map((digit) => BASE32[Number.parseInt(digit, 2)]).join('');
}

/** The secret as authenticators scan it. */
export function totpUri(secret: string, email: string): string {
  const options = `secret=${secret}&issuer=Belfry&algorithm=SHA1&digits=6&period=30`;
  return `otpauth://totp/Belfry:${encodeURIComponent(email)}?${options}`;
}

/** The step whose code this is. The one before and the one after count too: the device's clock may be a little off. */
export function matchTotp(secret: string, code: string, now: number): number | null {
  const current = Math.floor(now / STEP_MS);
  // Every step is compared, so that the time does not reveal the matching one.
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
