import { DAY_MS } from '../base/instant.ts';
import type { CronFields, MonthDays, WeekDays } from './cron-fields.ts';

/** After 400 years, dates and weekdays repeat. */
const MONTHS_IN_400_YEARS = 4_800;

/**
 * Null if there is none in 400 years. Days count from 1 January 1970 UTC. The longest search takes about a millisecond.
 */
export function findRunDay(fields: CronFields, fromDay: number): number | null {
  const from = new Date(fromDay * DAY_MS);
  const year = from.getUTCFullYear();
  let month = from.getUTCMonth();
  let earliest = from.getUTCDate();
  for (const end = month + MONTHS_IN_400_YEARS; month <= end; month++, earliest = 1) {
    if (((fields.months >>> ((month % 12) + 1)) & 1) === 0) continue;
    const firstDay = startOfMonth(year, month);
    const length = startOfMonth(year, month + 1) - firstDay;
    const left = (runDaysOfMonth(fields, firstDay, length) >>> earliest) << earliest;
    if (left !== 0) return firstDay + lowestBit(left) - 1;
  }
  return null;
}

/** `month` counts from 0 and may exceed 11. */
function startOfMonth(year: number, month: number): number {
  // Date.UTC maps the years 0 to 99 to 1900 to 1999. Beyond Date's range this is NaN: such a month has no days.
  return new Date(0).setUTCFullYear(year, month, 1) / DAY_MS;
}

/** A mask with day n in bit n. If both fields restrict, either is enough (§2.8). */
function runDaysOfMonth(fields: CronFields, firstDay: number, length: number): number {
  // 1 January 1970 was a Thursday.
  const firstWeekday = (((firstDay + 4) % 7) + 7) % 7;
  const { monthDays, weekDays } = fields;
  const allDays = ((2 ** (length + 1) - 1) | 0) & ~1;
  if (monthDays === null && weekDays === null) return allDays;
  const byDate = monthDays === null ? 0 : daysByDate(monthDays, firstWeekday, length);
  const byWeekday = weekDays === null ? 0 : daysByWeekday(weekDays, firstWeekday, length);
  return (byDate | byWeekday) & allDays;
}

function daysByDate(named: MonthDays, firstWeekday: number, length: number): number {
  let days = named.days;
  if (named.lastDay) days |= 1 << length;
  if (named.lastWorkday) days |= 1 << nearestWorkday(length, firstWeekday, length);
  if (named.nearestWorkdays === 0) return days;
  for (let day = 1; day <= length; day++) {
    if ((named.nearestWorkdays >>> day) & 1) days |= 1 << nearestWorkday(day, firstWeekday, length);
  }
  return days;
}

function nearestWorkday(day: number, firstWeekday: number, length: number): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function daysByWeekday(named: WeekDays, firstWeekday: number, length: number): number {
  let days = 0;
  for (let day = 1; day <= length; day++) {
    const weekday = (firstWeekday + day - 1) % 7;
    const nth = named.nth[Math.ceil(day / 7)] ?? 0;
    const last = day + 7 > length ? named.last : 0;
    days |= (((named.days | nth | last) >>> weekday) & 1) << day;
  }
  return days;
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}
