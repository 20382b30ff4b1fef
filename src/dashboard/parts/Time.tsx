import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

type Moment = { now: number; timeZone: string | null };
const MomentContext = createContext<Moment>({ now: 0, timeZone: null });

/**
 * Gives every `Time` below it one "now" and the viewer's zone. The first render uses the server's
 * values, so that server and browser write the same text; afterwards the browser's clock moves it on.
 */
export function NowProvider({ now, timeZone, children }: Moment & { children: ReactNode }) {
  const [moment, setMoment] = useState<Moment>({ now, timeZone });
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone !== timeZone) {
      const isHttps = location.protocol === 'https:';
      const [name, secure] = isHttps ? ['__Host-belfry_zone', '; Secure'] : ['belfry_zone', ''];
      document.cookie = `${name}=${encodeURIComponent(zone)}; Path=/; SameSite=Lax; Max-Age=31536000${secure}`;
    }
    // The server's clock is the one that things happen by; the viewer's may be minutes off.
    const offset = now - Date.now();
    const move = () => setMoment({ now: Date.now() + offset, timeZone: zone });
    move();
    const timer = setInterval(move, 10_000);
    return () => clearInterval(timer);
  }, [now, timeZone]);
  return <MomentContext value={moment}>{children}</MomentContext>;
}

export function useMoment(): Moment {
  return useContext(MomentContext);
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `in 5 min`, `3 h ago`, `now`; the further away, the coarser. */
function describeDistance(at: number, now: number): string {
  const distance = Math.abs(at - now);
  const ago = at <= now;
  if (distance < 5 * second) return 'now';
  const [amount, unit] =
    distance < minute
      ? [Math.floor(distance / second), 's']
      : distance < hour
        ? [Math.floor(distance / minute), 'min']
        : distance < 2 * day
          ? [Math.floor(distance / hour), 'h']
          : [Math.floor(distance / day), 'd'];
  return ago ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

/** `2026-11-21 09:05:07 UTC` */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `Sat 21 Nov 2026, 10:05:07 (Europe/Berlin)` */
function formatLocal(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  return `${format.format(at)} (${timeZone})`;
}

/**
 * An instant (milliseconds since 1970 UTC), relative by default, with the exact UTC and local time on
 * hover. `exact` writes the UTC time itself, for details and printouts; null shows a dash.
 */
export function Time({ at, exact = false }: { at: number | null; exact?: boolean }) {
  const { now, timeZone } = useMoment();
  if (at === null) return <span className="muted">–</span>;
  const utc = formatUtc(at);
  const title = timeZone && timeZone !== 'UTC' ? `${utc}\n${formatLocal(at, timeZone)}` : utc;
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={title}
      className="num"
      style={{ whiteSpace: 'nowrap' }}
    >
      {exact ? utc : describeDistance(at, now)}
    </time>
  );
}
