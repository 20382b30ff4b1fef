/** By name, in order. */
export type Pair = readonly [name: string, value: string];

/** @returns null for more pairs than `most` */
export function readPairs(body: Buffer, most: number): Pair[] | null {
  const text = body.toString().replace(/&$/, '');
  // Counted first, because parsing a megabyte of pairs takes long.
  if (text.split('&', most + 1).length > most) return null;
  // The parser drops one question mark at the beginning.
  return [...new URLSearchParams(`?${text}`)];
}
