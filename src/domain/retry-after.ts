import type { HeaderList } from './exchange.ts';
import { MAX_RETRY_DELAY_SECONDS } from './retry-schedule.ts';

const STATUSES: ReadonlySet<number | null> = new Set([429, 503]);

/**
 * Until when the target of an ended attempt asks for no further request (§3.4). It is the `Retry-After` header of a
 * 429 or 503, as seconds or as a date (RFC 9110 10.2.3), rounded up to a whole second and limited to a day after the
 * attempt's end: in whole seconds, so that a target that answers many at once is written down once a second. Null
 * without such a header, or if its time has passed or cannot be read.
 *
 * @returns milliseconds since 1970 UTC, like `completedAt`
 */
export function readAskedWait(
  answer: { responseStatus: number | null; responseHeaders: HeaderList },
  completedAt: number,
): number | null {
  if (!STATUSES.has(answer.responseStatus)) return null;
  const header = answer.responseHeaders.find(([name]) => name.toLowerCase() === 'retry-after');
  const until = header ? readRetryAfter(header[1].trim(), completedAt) : null;
  if (until === null || until <= completedAt) return null;
  const latest = completedAt + MAX_RETRY_DELAY_SECONDS * 1000;
  return Math.min(Math.ceil(until / 1000), Math.floor(latest / 1000)) * 1000;
}

/**
 * Reads the header's value into milliseconds since 1970 UTC; Infinity if the number of seconds is too large; null if
 * it cannot be read.
 */
function readRetryAfter(text: string, now: number): number | null {
  return /^\d+$/.test(text) ? now + Number(text) * 1000 : parseHttpDate(text, now);
}

const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const MONTH = `(?<month>${MONTHS.join('|')})`;

/** The current form of a date, and the two obsolete ones that a recipient must also read (RFC 9110 5.6.7). */
const FORMS = [
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT`,
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/** Reads a date; null if it does not exist. The day of the week is not compared: the date already determines it. */
function parseHttpDate(text: string, now: number): number | null {
  const found = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups);
  if (!found) return null;
  const [day, hour, minute] = [
    Number(found['day']),
    Number(found['hour']),
    Number(found['minute']),
  ];
  const second = Number(found['second']);
  const month = MONTHS.indexOf(found['month'] ?? '');
  const year = fullYear(found['year'] ?? '', now);
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  // Date would accept 30 February. A second of 60 is a leap second.
  const isReal = date.getUTCMonth() === month && hour < 24 && minute < 60 && second <= 60;
  date.setUTCHours(hour, minute, second);
  return isReal && day > 0 ? date.getTime() : null;
}

/** A year of two digits is the last year with these digits that is at most 50 years ahead. */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const latest = new Date(now).getUTCFullYear() + 50;
  return latest - ((latest - Number(digits)) % 100);
}
