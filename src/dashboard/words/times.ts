/** Instants in few words, for rows. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Beyond this distance a day and a month are shown with the year, because they could be of either year. */
const mostOfYear = 300 * day;

/** `in 5 min`, `3 h ago`, `now`; null from a day on, where the time itself says more. */
export function describeDistance(at: number, now: number): string | null {
  const distance = Math.abs(at - now);
  if (distance >= day) return null;
  if (distance < 5 * second) return 'now';
  const [amount, unit] =
    distance < minute
      ? [Math.floor(distance / second), 's']
      : distance < hour
        ? [Math.floor(distance / minute), 'min']
        : [Math.floor(distance / hour), 'h'];
  return at <= now ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

/** `21 Nov 09:05`, in UTC; of another year `21 Nov 2025`. */
export function describeDay(at: number, now: number): string {
  if (Math.abs(at - now) < mostOfYear) return formatShort(at);
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return format.format(at);
}

/** `21 Nov 09:05`, by the clocks of a zone. */
export function formatShort(at: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return format.format(at).replace(',', '');
}

/** `10:05:07` in a time zone. */
export function formatClock(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  return format.format(at);
}
