/** Masks have day n in bit n. */
export interface MonthDays {
  days: number;
  /** `15W`. */
  nearestWorkdays: number;
  /** `L` */
  lastDay: boolean;
  /** `LW` */
  lastWorkday: boolean;
}

/** Masks have Sunday in bit 0. */
export interface WeekDays {
  days: number;
  /** `5#3`: at [n], weekdays whose nth occurrence counts; [0] is unused. */
  nth: readonly number[];
  /** `5L`: weekdays whose last occurrence counts. */
  last: number;
}

/** A day field that is exactly `*` or `?` is null: it doesn't restrict (§2.8). */
export interface CronFields {
  /** Ascending, each once, never empty; so are hours. */
  minutes: readonly number[];
  hours: readonly number[];
  /** January is bit 1. */
  months: number;
  monthDays: MonthDays | null;
  weekDays: WeekDays | null;
}

interface FieldRange {
  min: number;
  max: number;
  /** The number of different values, and the longest step. A week has 7, although 0 to 7 are allowed. */
  length: number;
  /** In lower case. The first one means `min`. */
  names: readonly string[];
}

const MINUTE: FieldRange = { min: 0, max: 59, length: 60, names: [] };
const HOUR: FieldRange = { min: 0, max: 23, length: 24, names: [] };
const MONTH_DAY: FieldRange = { min: 1, max: 31, length: 31, names: [] };
const MONTH_NAMES = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH: FieldRange = { min: 1, max: 12, length: 12, names: MONTH_NAMES };
const WEEK_DAY_NAMES = 'sun mon tue wed thu fri sat'.split(' ');
const WEEK_DAY: FieldRange = { min: 0, max: 7, length: 7, names: WEEK_DAY_NAMES };

/** In place of five fields (§2.1). */
export const SHORTCUTS: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
]);

/** Far above the API's limit of 255, so a long text is only reported as too long. */
const MAX_LENGTH = 4096;
// Lower-casing would turn some foreign letters into ASCII.
const ALLOWED = /^[a-zA-Z\d@*?,/# \t\n\v\f\r-]*$/;
const WHITE_SPACE = /[ \t\n\v\f\r]+/;

/** Null if it doesn't parse (§2.8). Doesn't check whether any day matches. */
export function parseCronFields(text: string): CronFields | null {
  if (text.length > MAX_LENGTH || !ALLOWED.test(text)) return null;
  const written = text
    .toLowerCase()
    .split(WHITE_SPACE)
    .filter((part) => part !== '');
  const [first = ''] = written;
  const parts = written.length === 1 ? (SHORTCUTS.get(first) ?? '').split(' ') : written;
  const [minute, hour, monthDay, month, weekDay, ...more] = parts.map((p) =>
    p.replaceAll('?', '*'),
  );
  if (minute === undefined || hour === undefined || monthDay === undefined) return null;
  if (month === undefined || weekDay === undefined || more.length > 0) return null;
  return readFields({ minute, hour, monthDay, month, weekDay });
}

/** False if one doesn't parse. */
export function isSameSchedule(one: string, other: string): boolean {
  const [fields, others] = [parseCronFields(one), parseCronFields(other)];
  return fields !== null && JSON.stringify(fields) === JSON.stringify(others);
}

function readFields(written: Record<'minute' | 'hour' | 'monthDay' | 'month' | 'weekDay', string>) {
  const minutes = readValues(written.minute, MINUTE);
  const hours = readValues(written.hour, HOUR);
  const months = readValues(written.month, MONTH);
  const monthDays = readMonthDays(written.monthDay);
  const weekDays = readWeekDays(written.weekDay);
  if (!minutes || !hours || !months || monthDays === 'invalid' || weekDays === 'invalid')
    return null;
  return { minutes, hours, months: maskOf(months), monthDays, weekDays };
}

function readValues(field: string, range: FieldRange): number[] | null {
  const values = new Set<number>();
  for (const entry of field.split(',')) {
    const read = readEntry(entry, range);
    if (!read) return null;
    for (const value of read) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function readMonthDays(field: string): MonthDays | null | 'invalid' {
  if (field === '*') return null;
  const found: MonthDays = { days: 0, nearestWorkdays: 0, lastDay: false, lastWorkday: false };
  for (const entry of field.split(',')) {
    if (!addMonthDay(entry, found)) return 'invalid';
  }
  return found;
}

function addMonthDay(entry: string, found: MonthDays): boolean {
  if (entry === 'l') found.lastDay = true;
  else if (entry === 'lw') found.lastWorkday = true;
  else if (entry.endsWith('w')) {
    const day = readValue(entry.slice(0, -1), MONTH_DAY);
    if (day === null) return false;
    found.nearestWorkdays |= 1 << day;
  } else {
    const days = readEntry(entry, MONTH_DAY);
    if (!days) return false;
    found.days |= maskOf(days);
  }
  return true;
}

function readWeekDays(field: string): WeekDays | null | 'invalid' {
  if (field === '*') return null;
  const found = { days: 0, nth: [0, 0, 0, 0, 0, 0], last: 0 };
  for (const entry of field.split(',')) {
    if (!addWeekDay(entry, found)) return 'invalid';
  }
  return found;
}

// `5#3`, `5#L` or `5L`.
const PICKED_WEEK_DAY = /^([a-z\d]+?)(?:#([1-5])|#?l)$/;

function addWeekDay(entry: string, found: { days: number; nth: number[]; last: number }): boolean {
  const picked = PICKED_WEEK_DAY.exec(entry);
  if (!picked) {
    const days = readEntry(entry, WEEK_DAY);
    if (!days) return false;
    found.days |= maskOf(days.map((day) => day % 7));
    return true;
  }
  const [, name = '', nth] = picked;
  const day = readValue(name, WEEK_DAY);
  if (day === null) return false;
  const bit = 1 << (day % 7);
  if (nth === undefined) found.last |= bit;
  else found.nth[Number(nth)] = (found.nth[Number(nth)] ?? 0) | bit;
  return true;
}

function readEntry(entry: string, range: FieldRange): number[] | null {
  const [span = '', writtenStep, ...more] = entry.split('/');
  if (more.length > 0) return null;
  const bounds = readSpan(span, range);
  if (!bounds) return null;
  if (writtenStep === undefined) return listValues(bounds, 1);
  const step = readNumber(writtenStep);
  if (step === null || step < 1 || step > range.length || bounds.single) return null;
  return listValues(bounds, step);
}

interface Span {
  from: number;
  to: number;
  /** A single value takes no step: cron implementations disagree about `0/15`. */
  single: boolean;
}

function readSpan(span: string, range: FieldRange): Span | null {
  if (span === '*') return { from: range.min, to: range.min + range.length - 1, single: false };
  const [first = '', second, ...more] = span.split('-');
  const from = readValue(first, range);
  if (from === null || more.length > 0) return null;
  if (second === undefined) return { from, to: from, single: true };
  const end = readValue(second, range);
  if (end === null) return null;
  // A range may end at Sunday as 0 or SUN: SAT-SUN is 6-7.
  const to = range === WEEK_DAY && end === 0 && from > 0 ? 7 : end;
  return from <= to ? { from, to, single: false } : null;
}

function listValues({ from, to }: Span, step: number): number[] {
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function readValue(text: string, range: FieldRange): number | null {
  const named = range.names.indexOf(text);
  const value = named >= 0 ? range.min + named : readNumber(text);
  return value !== null && value >= range.min && value <= range.max ? value : null;
}

function readNumber(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

function maskOf(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0);
}
