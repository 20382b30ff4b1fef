import { createHmac } from 'node:crypto';

/** What an authenticator shows: RFC 6238 with SHA-1, six digits and steps of 30 s. */
export function totpOf(otpauthUri: string, atMs = Date.now()): string {
  const secret = decodeBase32(new URL(otpauthUri).searchParams.get('secret') ?? '');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

export function decodeBase32(text: string): Buffer {
  const bits = Array.from(text.replaceAll('=', ''), (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
