/** `503`, `5xx`, `none` (no response), or several. */

const MOST_PARTS = 20;

/** Normalised; null if it can't be read. */
export function readStatusCodes(text: string): string | null {
  const parts = text
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  const areRead = parts.every((part) => /^(?:[1-9](?:xx|\d\d)|none)$/.test(part));
  return areRead && parts.length <= MOST_PARTS ? [...new Set(parts)].join(',') : null;
}

/**
 * @param codes of `readStatusCodes`
 * @param status null: no response
 */
export function hasStatusCode(codes: string, status: number | null): boolean {
  const exact = status === null ? 'none' : String(status);
  const hundred = status === null ? 'none' : `${Math.floor(status / 100)}xx`;
  return codes.split(',').some((part) => part === exact || part === hundred);
}
