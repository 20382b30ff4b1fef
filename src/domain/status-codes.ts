/** Which HTTP statuses a list is narrowed to: `503`, `5xx`, `none` (nothing came back), or several of these. */

const MOST_PARTS = 20;

/** The one spelling of such a text, `5xx,404`, by which it is kept and compared; null where it can't be read. */
export function readStatusCodes(text: string): string | null {
  const parts = text
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  const areRead = parts.every((part) => /^(?:[1-9](?:xx|\d\d)|none)$/.test(part));
  return areRead && parts.length <= MOST_PARTS ? [...new Set(parts)].join(',') : null;
}

/** @param codes  as `readStatusCodes` gives them @param status  null: nothing came back */
export function hasStatusCode(codes: string, status: number | null): boolean {
  const exact = status === null ? 'none' : String(status);
  const hundred = status === null ? 'none' : `${Math.floor(status / 100)}xx`;
  return codes.split(',').some((part) => part === exact || part === hundred);
}
