/** In linear time. The platform's readers take minutes for a few hundred thousand pairs. */
export type Pair = readonly [name: string, value: string];

/** @returns null for more pairs than `most` */
export function readPairs(body: Buffer, most: number): Pair[] | null {
  const pairs: Pair[] = [];
  for (let at = 0, count = 0; at < body.length; count++) {
    if (count === most) return null;
    const separator = body.indexOf(AMPERSAND, at);
    const pair = body.subarray(at, separator === -1 ? body.length : separator);
    const equals = pair.indexOf(EQUALS);
    const nameEnd = equals === -1 ? pair.length : equals;
    if (pair.length > 0)
      pairs.push([decode(pair.subarray(0, nameEnd)), decode(pair.subarray(nameEnd + 1))]);
    at += pair.length + 1;
  }
  return pairs;
}

const [AMPERSAND, EQUALS, PERCENT, PLUS, SPACE] = [0x26, 0x3d, 0x25, 0x2b, 0x20];

/** `a+b%21` → `a b!` */
function decode(encoded: Buffer): string {
  if (!encoded.includes(PERCENT) && !encoded.includes(PLUS)) return encoded.toString('utf8');
  const bytes = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at++) {
    let byte = encoded[at] ?? 0;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      const value = readHexDigit(encoded[at + 1]) * 16 + readHexDigit(encoded[at + 2]);
      if (value >= 0) {
        byte = value;
        at += 2;
      }
    }
    bytes[length++] = byte;
  }
  return bytes.toString('utf8', 0, length);
}

/** For any byte that is no digit `-Infinity`, which makes every sum negative. */
function readHexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -Infinity;
}
