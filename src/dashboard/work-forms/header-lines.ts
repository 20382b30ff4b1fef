/** One `Name: value` per line. */
export type HeaderPair = { name: string; value: string };

/** A line without a colon becomes a name, so that validation reports it. One space after the colon is removed. */
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
