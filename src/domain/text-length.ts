/**
 * Whether a text has more characters (code points) than `most`. Every text from outside is checked before it is
 * normalized, split, matched or shown: `normalize` takes quadratic time, and the others add up on megabytes.
 */
export function isLongerThan(text: string, most: number): boolean {
  // A code point takes one or two units, so most texts need no counting.
  if (text.length <= most) return false;
  if (text.length > 2 * most) return true;
  return Array.from(text).length > most;
}
