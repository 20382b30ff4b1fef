/** The HTTP statuses that a list can be narrowed to: `503`, `5xx`, `none` (no response), or several of these. */

const MOST_PARTS = 20;

/** The normalised text, `5xx,404`, that is stored and compared; null if it cannot be read. */
export function readStatusCodes(text: string): string | null {
  const parts = text
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  const areRead = parts.every((part) => /^(?:[1-9](?:xx|\d\d)|none)$/.test(part));
  return areRead && parts.length <= MOST_PARTS ? [...new Set(parts)].join(',') : null;
}

/** @param codes  a result of `readStatusCodes` @param status  null: no response */
export function hasStatusCode(codes: string, status: number | null): boolean {
  const exact = status === null ? 'none' : String(status);
  const hundred = status === null ? 'none' : `${Math.floor(status / 100)}xx`;
  return codes.split(',').some((part) => part === exact || part === hundred);
}
