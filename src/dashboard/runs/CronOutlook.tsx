import { Link } from 'react-router';
import { describeEnd, hasEnded } from '#domain/cron-end';
import type { CronListRow } from '../services.ts';

/** What there is to say of a cron besides its next times. @param isLastShown  all that are left are shown */
export function CronOutlook({
  cron,
  isLastShown,
}: {
  cron: CronListRow['cron'];
  isLastShown: boolean;
}) {
  if (!cron.isActive) return <p className="muted">Nothing while the cron is paused.</p>;
  if (hasEnded(cron))
    return (
      <p className="muted">
        The cron has ended and runs no more.{' '}
        <Link to={`/crons/${cron.id}/edit`}>Change its end</Link> to open it again; Run now works
        all the same.
      </p>
    );
  return isLastShown ? <p className="muted">Then the cron ends.</p> : null;
}

/** `2026-12-31 18:00 UTC or 10 runs (3 so far)`; null where it does not end. */
export function describeItsEnd({ end, runsCounted }: CronListRow['cron']): string | null {
  if (end.endsAt === null && end.maxRuns === null) return null;
  return `${describeEnd(end)}${end.maxRuns === null ? '' : ` (${runsCounted} so far)`}`;
}
