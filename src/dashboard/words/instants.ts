/** Instants in UTC, as texts. */

/** As the browser's field for a date and a time has it, `2026-11-21T22:00`. Exact to the minute; to the second if the instant has seconds. */
export function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace(/:00$/, '');
}

/** Milliseconds since 1970 UTC; null if the text is no instant. */
export function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : at;
}

/** `2026-11-21 09:05:07 UTC` */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
