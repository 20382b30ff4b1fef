/**
 * An instant as answers and callbacks write it (§1.2): `2026-11-20T09:05:00+00:00`, fractions of a second cut off.
 *
 * @param ms  milliseconds since 1970 UTC
 */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
}
