/** Request headers as people write them: one `Name: value` per line. */
export type HeaderPair = { name: string; value: string };

/**
 * Reads lines into pairs. Blank lines are skipped; a line without a colon keeps its text as the name,
 * so that the check of the fields can say what is wrong with it. Only the one space after the colon
 * goes: a value is sent as it was typed.
 */
export function readHeaderLines(text: string): HeaderPair[] {
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      if (colon < 0) return { name: line.trim(), value: '' };
      return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).replace(/^ /, '') };
    });
}

export function writeHeaderLines(pairs: readonly HeaderPair[]): string {
  return pairs
    .filter(({ name, value }) => name.trim() !== '' || value !== '')
    .map(({ name, value }) => `${name}: ${value}`)
    .join('\n');
}
