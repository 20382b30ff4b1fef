import cronstrue from 'cronstrue';
import { DAY_MS } from '#domain/base/instant';
import { parseCronExpression, upcomingRuns } from '#domain/cron/cron';
import { SHORTCUTS } from '#domain/cron/cron-fields';
import { LIMITS } from '#domain/base/limits';

export type ScheduleReading =
  | { kind: 'empty' }
  | { kind: 'wrong'; text: string }
  | { kind: 'right'; words: string; runs: number[]; warnings: string[] };

export const presets: readonly { expression: string; text: string }[] = [
  { expression: '* * * * *', text: 'Every minute' },
  { expression: '*/5 * * * *', text: 'Every 5 minutes' },
  { expression: '0 * * * *', text: 'Hourly' },
  { expression: '0 6 * * *', text: 'Daily at 06:00' },
  { expression: '0 6 * * MON-FRI', text: 'Weekdays at 06:00' },
  { expression: '0 6 * * MON', text: 'Mondays at 06:00' },
  { expression: '0 6 1 * *', text: 'First of the month' },
];

/**
 * While it is typed. @param now next runs are after this
 * @param timeZone the viewer's, for the warning about summer time
 */
export function readSchedule(
  expression: string,
  now: number,
  timeZone: string | null,
): ScheduleReading {
  if (expression.trim() === '') return { kind: 'empty' };
  const schedule =
    expression.length > LIMITS.cronExpressionCharacters
      ? 'invalid'
      : parseCronExpression(expression);
  if (schedule === 'invalid') return { kind: 'wrong', text: explainInvalid(expression) };
  if (schedule === 'never')
    return { kind: 'wrong', text: 'It names only days that do not exist, so it never runs.' };
  const runs = upcomingRuns(schedule, now, 10);
  return {
    kind: 'right',
    words: describeExpression(expression),
    runs,
    warnings: [...warnOfDayFields(expression), ...warnOfSummerTime(expression, runs, timeZone)],
  };
}

/** Itself if there are no words. */
export function describeExpression(expression: string): string {
  try {
    return cronstrue.toString(expandShortcut(expression), { use24HourTimeFormat: true });
  } catch {
    return expression;
  }
}

function expandShortcut(expression: string): string {
  return SHORTCUTS.get(expression.trim().toLowerCase()) ?? expression.trim();
}

function explainInvalid(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 6)
    return 'There are six fields. Belfry takes five: minute, hour, day of month, month, day of week. There is none for seconds or years.';
  if (fields[0]?.startsWith('@')) return `The shortcuts are ${[...SHORTCUTS.keys()].join(', ')}.`;
  if (fields.length !== 5)
    return 'An expression has five fields: minute, hour, day of month, month, day of week.';
  return 'One of the five fields can’t be read. Each is a number, a range such as 1-5, a list such as 1,15, a step such as */10, a name such as MON, or *.';
}

function isRestricted(field: string | undefined): boolean {
  return field !== undefined && field !== '*' && field !== '?';
}

function warnOfDayFields(expression: string): string[] {
  const [, , dayOfMonth, , dayOfWeek] = expandShortcut(expression).split(/\s+/);
  return isRestricted(dayOfMonth) && isRestricted(dayOfWeek)
    ? ['Day of month and day of week are both set: it runs on days that match either of them.']
    : [];
}

/** A fixed UTC hour moves with summer time for viewers. */
function warnOfSummerTime(
  expression: string,
  runs: readonly number[],
  timeZone: string | null,
): string[] {
  const [, hours] = expandShortcut(expression).split(/\s+/);
  const next = runs[0];
  if (timeZone === null || next === undefined || !isRestricted(hours) || hours?.includes('/'))
    return [];
  const change = findOffsetChange(next, timeZone);
  if (change === null) return [];
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' });
  const minutes = Math.abs(change.minutes);
  const moved = `${minutes === 60 ? 'an hour' : `${minutes} minutes`} ${change.minutes > 0 ? 'later' : 'earlier'}`;
  return [
    `Schedules are in UTC without summer time. From ${day.format(change.at)} on it runs ${moved} by the clocks of ${timeZone}.`,
  ];
}

/** Minutes. */
function offsetMinutes(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  const size = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -size : size;
}

/** Within a year. */
function findOffsetChange(from: number, timeZone: string): { at: number; minutes: number } | null {
  const before = offsetMinutes(from, timeZone);
  for (let day = 7; day <= 371; day += 7) {
    if (offsetMinutes(from + day * DAY_MS, timeZone) === before) continue;
    let at = from + (day - 7) * DAY_MS;
    while (offsetMinutes(at, timeZone) === before) at += DAY_MS;
    return { at, minutes: offsetMinutes(at, timeZone) - before };
  }
  return null;
}
