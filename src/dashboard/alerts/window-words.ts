import { WEEK_MS } from '#domain/team/maintenance';
import type { MaintenanceWindowView, NamedSource } from '../services.ts';

export const tooManyWindows =
  'The team has the maximum of 200 maintenance windows. Delete one that you no longer need.';

type Span = { from: number; to: number };
type Repeated = { startsAt: number; endsAt: number; isWeekly: boolean };

const parts = (at: number, timeZone: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options }).format(at);

const dayOf = (at: number, timeZone: string) =>
  parts(at, timeZone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const weekdayOf = (at: number, timeZone: string) => parts(at, timeZone, { weekday: 'long' });
const timeOf = (at: number, timeZone: string) =>
  parts(at, timeZone, { hour: '2-digit', minute: '2-digit' });

/** `Sat, 21 Nov 2026, 22:00–23:30`, with both days beyond midnight. */
function describeSpan({ from, to }: Span, timeZone: string): string {
  const [firstDay, lastDay] = [dayOf(from, timeZone), dayOf(to, timeZone)];
  const [first, last] = [timeOf(from, timeZone), timeOf(to, timeZone)];
  if (firstDay === lastDay) return `${firstDay}, ${first}–${last}`;
  const year = firstDay.slice(-5);
  const shortLastDay = lastDay.endsWith(year) ? lastDay.slice(0, -year.length) : lastDay;
  return `${firstDay}, ${first} – ${shortLastDay}, ${last}`;
}

/** UTC, like its form. */
export function describeWindow({ startsAt, endsAt, isWeekly }: Repeated): string {
  if (!isWeekly) return `${describeSpan({ from: startsAt, to: endsAt }, 'UTC')} UTC`;
  const [firstDay, lastDay] = [weekdayOf(startsAt, 'UTC'), weekdayOf(endsAt, 'UTC')];
  const [first, last] = [timeOf(startsAt, 'UTC'), timeOf(endsAt, 'UTC')];
  if (endsAt - startsAt >= WEEK_MS) return `Always, from ${dayOf(startsAt, 'UTC')}, ${first} UTC`;
  // The same weekday at both ends may also mean nearly a week.
  return endsAt - startsAt < WEEK_MS / 7 && firstDay === lastDay
    ? `Every ${firstDay}, ${first}–${last} UTC`
    : `Every ${firstDay}, ${first} – ${lastDay}, ${last} UTC`;
}

/** The current, else the next one; the only one of a past window. */
export function findOccurrence({ startsAt, endsAt, isWeekly }: Repeated, now: number): Span {
  if (!isWeekly || now < endsAt) return { from: startsAt, to: endsAt };
  const weeks = Math.floor((now - endsAt) / WEEK_MS) + 1;
  return { from: startsAt + weeks * WEEK_MS, to: endsAt + weeks * WEEK_MS };
}

/** Null if the zone is UTC or unknown. */
export function describeLocally(
  window: Repeated,
  now: number,
  timeZone: string | null,
): string | null {
  if (timeZone === null || timeZone === 'UTC') return null;
  const span = findOccurrence(window, now);
  const which = window.isWeekly ? (span.from <= now ? 'Now: ' : 'Next: ') : '';
  return `${which}${describeSpan(span, timeZone)} (${timeZone})`;
}

/** `Whole team`, or the first names and a number. */
export function describeCovers(
  { covers }: Pick<MaintenanceWindowView, 'covers'>,
  sources: readonly NamedSource[],
): string {
  if (covers === 'team') return 'Whole team';
  const names = sources
    .filter(({ kind, id }) => covers.some((each) => each.kind === kind && each.id === id))
    .map(({ name }) => name);
  if (names.length === 0) return 'Nothing (all deleted)';
  return names.length > 3
    ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`
    : names.join(', ');
}
