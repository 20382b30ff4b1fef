export type Pair = readonly [name: string, value: string];

const UNESCAPED = /[^%]+/g;

/** @returns null for more pairs than `most` */
export function readPairs(body: Buffer, most: number): Pair[] | null {
  const text = body.toString().replace(/&$/, '');
  // Counted first, because parsing a megabyte of pairs takes long.
  if (text.split('&', most + 1).length > most) return null;
  // The parser damages letters beside an escaped byte that isn't UTF-8, and drops one question mark at the beginning.
  return [...new URLSearchParams(`?${text.replaceAll(UNESCAPED, encodeURI)}`)];
}
