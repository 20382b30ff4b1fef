import type { HeaderList } from '#domain/http/exchange';

/**
 * Of one `Name: value` per line. A line without a colon becomes a name, so that validation reports it. One space after
 * the colon is removed.
 */
export function readHeaders(text: string): HeaderList {
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      if (colon < 0) return [line.trim(), ''];
      return [line.slice(0, colon).trim(), line.slice(colon + 1).replace(/^ /, '')];
    });
}

export function writeHeaders(headers: HeaderList): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join('\n');
}
