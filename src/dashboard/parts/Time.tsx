import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { cookieScopeOf } from '#domain/public-address';
import { basePathInBrowser } from '../address.ts';
import { describeDay, describeDistance, formatClock } from '../words/times.ts';

type Moment = { now: number; timeZone: string | null };
const MomentContext = createContext<Moment>({ now: 0, timeZone: null });

/**
 * Provides "now" and the viewer's time zone to every `Time` below it. The first render uses the server's values, so
 * that server and browser write the same text. After that the browser's clock advances it.
 */
export function NowProvider({ now, timeZone, children }: Moment & { children: ReactNode }) {
  const [moment, setMoment] = useState<Moment>({ now, timeZone });
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone !== timeZone) {
      const { prefix, path, isSecure } = cookieScopeOf(`${location.origin}${basePathInBrowser()}`);
      const secure = isSecure ? '; Secure' : '';
      document.cookie = `${prefix}belfry_zone=${encodeURIComponent(zone)}; Path=${path}; SameSite=Lax; Max-Age=31536000${secure}`;
    }
    // Events are timed by the server's clock. The viewer's clock may be minutes off.
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
 * An instant (milliseconds since 1970 UTC), with the exact UTC and local time on hover: relative within a day, and
 * the UTC time itself beyond, where "2 d ago" would say less. `isDated` writes that time whenever it was. `exact` writes
 * UTC and the viewer's time, for details and printouts; null shows a dash.
 */
export function Time({
  at,
  exact = false,
  isDated = false,
}: {
  at: number | null;
  exact?: boolean;
  isDated?: boolean;
}) {
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
      {exact ? (
        <Exact at={at} timeZone={timeZone} />
      ) : (
        <Short at={at} now={now} isDated={isDated} />
      )}
    </time>
  );
}

/** Leaves the time zone out in tables, whose heads name it. */
function Short({ at, now, isDated }: { at: number; now: number; isDated: boolean }) {
  const distance = isDated ? null : describeDistance(at, now);
  if (distance !== null) return distance;
  return (
    <>
      {describeDay(at, now)}
      <small data-zone> UTC</small>
    </>
  );
}

function Exact({ at, timeZone }: { at: number; timeZone: string | null }) {
  const utc = formatUtc(at);
  if (timeZone === null || timeZone === 'UTC') return utc;
  return (
    <>
      {utc} <span className="muted">{`${formatClock(at, timeZone)} ${timeZone}`}</span>
    </>
  );
}
