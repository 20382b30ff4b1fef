/** `1m, 30m, 3h` (§3.4). */

/** In seconds (§2.3). */
export const DEFAULT_RETRY_SCHEDULE: readonly number[] = [60, 1800, 10_800];

export const MAX_RETRIES = 10;
const MAX_RETRY_DELAY_SECONDS = 24 * 3600;
const MAX_TEXT_LENGTH = 1000;

const UNIT_SECONDS = { s: 1, m: 60, h: 3600 } as const;

/** Seconds; an empty text means no retries. Null for more than ten delays, one outside 1 s to 24 h, or another unit. */
export function parseRetrySchedule(text: string): number[] | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  if (text.trim() === '') return [];
  const delays: number[] = [];
  for (const part of text.split(',')) {
    const delay = parseDelay(part.trim());
    if (delay === null) return null;
    delays.push(delay);
  }
  return delays.length <= MAX_RETRIES ? delays : null;
}

function parseDelay(text: string): number | null {
  const match = /^(\d{1,9}) ?([smh]?)$/i.exec(text);
  if (!match) return null;
  const unit = (match[2]?.toLowerCase() || 's') as keyof typeof UNIT_SECONDS;
  const seconds = Number(match[1]) * UNIT_SECONDS[unit];
  return seconds >= 1 && seconds <= MAX_RETRY_DELAY_SECONDS ? seconds : null;
}

/** Each delay in its largest whole unit. */
export function formatRetrySchedule(seconds: readonly number[]): string {
  return seconds.map(formatDelay).join(', ');
}

function formatDelay(seconds: number): string {
  if (seconds % UNIT_SECONDS.h === 0) return `${seconds / UNIT_SECONDS.h}h`;
  if (seconds % UNIT_SECONDS.m === 0) return `${seconds / UNIT_SECONDS.m}m`;
  return `${seconds}s`;
}
