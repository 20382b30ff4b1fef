import { Link } from 'react-router';
import type { AlertSettings } from '#domain/alert-settings';
import { Notice } from '../parts/Notice.tsx';
import { Time } from '../parts/Time.tsx';
import type { Work } from '../services.ts';

/** Since when a cron or queue is slow by its own rule; null: it is not, or it has none. */
export async function readSlowSince(
  work: Work,
  teamId: string,
  sourceId: string,
  { slow }: Pick<AlertSettings, 'slow'>,
): Promise<number | null> {
  return slow === null ? null : work.findSlowSince(teamId, sourceId, slow);
}

/** Says that a cron or queue is slow; nothing where it is not. @param source  `cron:<id>` or `queue:<id>` */
export function SlowNotice({ since, source }: { since: number | null; source: string }) {
  if (since === null) return null;
  const what = source.startsWith('cron:') ? 'cron' : 'queue';
  return (
    <Notice kind="warning" title={`This ${what} is slow`}>
      Since <Time at={since} exact /> (<Time at={since} />
      ). <Link to={`/alerts?source=${encodeURIComponent(source)}`}>See its alerts</Link>
    </Notice>
  );
}
