import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { cookieScopeOf } from '#domain/http/public-address';
import { basePathInBrowser } from '../address.ts';
import {
  describeDay,
  describeDistance,
  formatExact,
  formatLong,
  formatUtc,
} from '../words/times.ts';

type Moment = {
  now: number;
  /** Null if unknown. */
  timeZone: string | null;
  /** Times are shown in that zone. */
  isLocal: boolean;
};
const MomentContext = createContext<Moment>({ now: 0, timeZone: null, isLocal: false });

/** The first render uses the server's values, so both write the same text. */
export function NowProvider({ children, ...given }: Moment & { children: ReactNode }) {
  const { now, timeZone, isLocal } = given;
  const [moment, setMoment] = useState({ now, timeZone });
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone !== timeZone) {
      const { prefix, path, isSecure } = cookieScopeOf(`${location.origin}${basePathInBrowser()}`);
      const secure = isSecure ? '; Secure' : '';
      document.cookie = `${prefix}belfry_zone=${encodeURIComponent(zone)}; Path=${path}; SameSite=Lax; Max-Age=31536000${secure}`;
    }
    // The server times events; the viewer's clock may be wrong.
    const offset = now - Date.now();
    const move = () => setMoment({ now: Date.now() + offset, timeZone: zone });
    move();
    const timer = setInterval(move, 10_000);
    return () => clearInterval(timer);
  }, [now, timeZone]);
  return <MomentContext value={{ ...moment, isLocal }}>{children}</MomentContext>;
}

export function useMoment(): Moment {
  return useContext(MomentContext);
}

/** With its word in heads of columns. */
export function useShownZone(): { zone: string; word: 'UTC' | 'local' } {
  const { timeZone, isLocal } = useContext(MomentContext);
  return isLocal && timeZone !== null && timeZone !== 'UTC'
    ? { zone: timeZone, word: 'local' }
    : { zone: 'UTC', word: 'UTC' };
}

type TimeProps = {
  at: number | null;
  exact?: boolean;
  /** Not relative within a day. */
  isAbsolute?: boolean;
};

/** Relative within a day. On hover the exact time in UTC and the viewer's zone. */
export function Time({ at, exact = false, isAbsolute = false }: TimeProps) {
  const { now, timeZone } = useMoment();
  const { zone, word } = useShownZone();
  if (at === null) return <span className="muted">–</span>;
  const utc = formatUtc(at);
  const title = timeZone && timeZone !== 'UTC' ? `${utc}\n${formatLong(at, timeZone)}` : utc;
  const distance = exact || isAbsolute ? null : describeDistance(at, now);
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={title}
      // Tabular hyphens would tear dates apart.
      className={exact ? undefined : 'num'}
      style={{ whiteSpace: 'nowrap' }}
    >
      {exact ? `${formatExact(at, zone)} ${zone}` : distance}
      {exact || distance !== null ? null : (
        <>
          {describeDay(at, now, zone)}
          {/* Hidden in tables, whose heads have it. */}
          <small data-zone> {word}</small>
        </>
      )}
    </time>
  );
}
