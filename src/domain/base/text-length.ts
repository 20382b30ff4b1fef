/**
 * In code points. Check every text from outside before you normalize, split or match it: `normalize` takes quadratic
 * time.
 */
export function isLongerThan(text: string, most: number): boolean {
  // A code point takes one or two units, so most texts need no counting.
  if (text.length <= most) return false;
  if (text.length > 2 * most) return true;
  return Array.from(text).length > most;
}

/** @param most in code points, with the ellipsis of a cut text */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 1));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
