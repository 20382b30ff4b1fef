import type { Usage } from '../services.ts';

const dayMs = 24 * 3600 * 1000;

/** Every day of the UTC month that `now` is in, as `2026-11-21`. */
export function listDaysOfMonth(now: number): string[] {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.UTC(year, month, at + 1)).toISOString().slice(0, 10),
  );
}

/**
 * When the limit would be reached if the rest of the month went like its past, in words. Null where
 * there is no limit. Says nothing of a day before there is half a day to judge by.
 */
export function projectRunOut({ used, limit }: Usage, now: number): string | null {
  if (limit === null) return null;
  if (used >= limit) return 'The limit is reached. Sending resumes next month.';
  const date = new Date(now);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  if (now - start < dayMs / 2) return 'Too early in the month to tell.';
  const at = start + ((now - start) * limit) / Math.max(used, 1e-9);
  if (used === 0 || at >= end) return 'The limit is enough for this month.';
  return `The limit would be reached on ${new Date(at).toISOString().slice(0, 10)} (UTC).`;
}
