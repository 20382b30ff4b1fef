import { LAST_TIME, MINUTE_MS } from '../base/instant.ts';
import { findRunDay } from './cron-calendar.ts';
import { type CronFields, parseCronFields } from './cron-fields.ts';

const MINUTES_A_DAY = 1_440;

/** Whole minutes in UTC (§2.1). */
export interface CronSchedule {
  /** Strictly after; null if there is none within 400 years or Date's range. */
  nextAfter(ms: number): number | null;
}

/**
 * §2.8. 'never': it names only days that don't exist, such as 31 February.
 *
 * Cron libraries accept a looser grammar, and miss runs: one skips 1 March if the days include the 29th, another has no
 * `W`.
 *
 * Takes at most about a millisecond and a few kilobytes.
 */
export function parseCronExpression(text: string): CronSchedule | 'invalid' | 'never' {
  const fields = parseCronFields(text);
  if (fields === null) return 'invalid';
  // The calendar repeats after 400 years: if no run follows 1970, none follows any other time.
  if (findRunDay(fields, 0) === null) return 'never';
  return { nextAfter: (ms) => findNextRun(fields, ms) };
}

export function nextRunAfter(expression: string, ms: number): number | null {
  const schedule = parseCronExpression(expression);
  return typeof schedule === 'string' ? null : schedule.nextAfter(ms);
}

/** Just before the first time that may run. @param startsAt inclusive; null: no start */
export function searchFrom(startsAt: number | null, now: number): number {
  return startsAt === null ? now : Math.max(now, startsAt - 1);
}

export function upcomingRuns(schedule: CronSchedule, fromMs: number, count: number): number[] {
  const runs: number[] = [];
  for (let at = schedule.nextAfter(fromMs); at !== null && runs.length < count;) {
    runs.push(at);
    at = schedule.nextAfter(at);
  }
  return runs;
}

function findNextRun(fields: CronFields, afterMs: number): number | null {
  if (!(Math.abs(afterMs) < LAST_TIME)) return null;
  const earliest = Math.floor(afterMs / MINUTE_MS) + 1;
  const today = Math.floor(earliest / MINUTES_A_DAY);
  const runDay = findRunDay(fields, today);
  if (runDay === null) return null;
  if (runDay > today) return toInstant(runDay, findRunMinute(fields, 0));
  const laterToday = findRunMinute(fields, earliest - today * MINUTES_A_DAY);
  if (laterToday !== null) return toInstant(today, laterToday);
  const nextDay = findRunDay(fields, today + 1);
  return nextDay === null ? null : toInstant(nextDay, findRunMinute(fields, 0));
}

function findRunMinute(fields: CronFields, from: number): number | null {
  const hour = Math.floor(from / 60);
  const minute = fields.hours.includes(hour)
    ? fields.minutes.find((minute) => minute >= from - hour * 60)
    : undefined;
  if (minute !== undefined) return hour * 60 + minute;
  const laterHour = fields.hours.find((later) => later > hour);
  return laterHour === undefined ? null : laterHour * 60 + (fields.minutes[0] ?? 0);
}

function toInstant(day: number, minute: number | null): number | null {
  if (minute === null) return null;
  return (day * MINUTES_A_DAY + minute) * MINUTE_MS;
}
