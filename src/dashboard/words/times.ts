const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Beyond this a day and month could be of either year. */
const mostOfYear = 300 * day;

/** Null from a day on. */
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

/** Of another year `21 Nov 2025`. */
export function describeDay(at: number, now: number, timeZone = 'UTC'): string {
  if (Math.abs(at - now) < mostOfYear) return formatShort(at, timeZone);
  return formatOf('day', timeZone).format(at);
}

export function formatShort(at: number, timeZone = 'UTC'): string {
  return formatOf('short', timeZone).format(at).replace(',', '');
}

export function formatExact(at: number, timeZone: string): string {
  return formatOf('exact', timeZone).format(at);
}

/** `Sat 21 Nov 2026, 10:05:07 (Europe/Berlin)` */
export function formatLong(at: number, timeZone: string): string {
  return `${formatOf('long', timeZone).format(at)} (${timeZone})`;
}

const date = { day: 'numeric', month: 'short' } as const;
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const formats = {
  day: ['en-GB', { ...date, year: 'numeric' }],
  short: ['en-GB', { ...date, ...time }],
  long: ['en-GB', { weekday: 'short', ...date, year: 'numeric', ...time, second: '2-digit' }],
  // Swedish dates are ISO 8601.
  exact: ['sv-SE', { dateStyle: 'short', timeStyle: 'medium' }],
} as const satisfies Record<string, readonly [string, Intl.DateTimeFormatOptions]>;

/** Making a format takes a thousand times as long as using it. */
const made = new Map<string, Intl.DateTimeFormat>();

function formatOf(kind: keyof typeof formats, timeZone: string): Intl.DateTimeFormat {
  const key = `${kind} ${timeZone}`;
  const [locale, options] = formats[kind];
  const format = made.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options });
  made.set(key, format);
  return format;
}

/** `2026-11-21 09:05:07 UTC` */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const mostCharacters = 64;

/** Such as `Europe/Berlin`; null if unknown. */
export function knownZone(text: string): string | null {
  const name = text.trim();
  if (name === '' || name.length > mostCharacters) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
