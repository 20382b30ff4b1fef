import { parseUtc } from '#domain/instant';
import { type Refused, refuse } from './outcomes.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 365;

/** Reads when a next secret takes effect: a date and a time in UTC, in the future and within a year. */
export function readChangeDate(text: string, now: number): number | Refused {
  if (text.trim() === '') return refuse('from', 'Choose when it takes over.');
  const at = parseUtc(text);
  if (at === null) {
    return refuse('from', 'Enter a date and a time in UTC, such as 2026-11-21 22:00.');
  }
  if (at <= now) return refuse('from', 'Choose a time in the future.');
  return at - now > MOST_DAYS * DAY_MS ? refuse('from', 'Choose a time within a year.') : at;
}
