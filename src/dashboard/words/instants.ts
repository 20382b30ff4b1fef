/** `2026-11-21T22:00`, with seconds only if there are any. */
export function writeInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace(/:00$/, '');
}

/** Null if it is none. */
export function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : at;
}

/** `2026-11-21 09:05:07 UTC` */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
