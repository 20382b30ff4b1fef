export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The last one that a Date can hold. */
export const LAST_TIME = 8_640_000_000_000_000;

/**
 * `2026-11-20T09:05:00+00:00`, without fractions (§1.2).
 * @param ms milliseconds since 1970 UTC
 */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
}

/** `2026-11-20T09:05:00.123+00:00`, for records. */
export function formatMillis(ms: number): string;
export function formatMillis(ms: number | null): string | null;
export function formatMillis(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString().replace('Z', '+00:00');
}

const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d{1,9})?(?:Z|\+00:00)?$/;

/** Null for a day that doesn't exist. */
export function parseUtc(text: string): number | null {
  const [, date, time, seconds = ':00'] = DATE_AND_TIME.exec(text.trim()) ?? [];
  if (date === undefined || time === undefined) return null;
  const iso = `${date}T${time}${seconds}`;
  const at = Date.parse(`${iso}Z`);
  // Date reads 30 February as 2 March, and 24:00 as the next day.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(iso)) return null;
  return at >= 0 ? at : null;
}

/** `2026-11-20 09:05`; `parseUtc` reads it. */
export function formatUtcMinute(ms: number): string {
  const text = new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return text.endsWith(':00') ? text.slice(0, -3) : text;
}
