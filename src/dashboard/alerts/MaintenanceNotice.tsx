import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { ActionButton } from '../forms/Form.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { formatUtc } from '../words/times.ts';
import type { ActiveWindow } from './muted-now.ts';

/**
 * Nothing if no window is active. @param windows from `listActiveWindows`
 * @param of `this cron`
 */
export function MaintenanceNotice({
  windows,
  of,
  action,
}: {
  windows: readonly ActiveWindow[];
  of: string;
  action?: ReactNode;
}) {
  if (windows.length === 0) return null;
  const until = endOf(windows);
  const names = namesOf(windows);
  const isPaused = windows.some(({ pausesRuns }) => pausesRuns);
  return (
    <Notice
      kind="muted"
      title={isPaused ? `Runs of ${of} are paused` : `Alerts of ${of} are muted`}
    >
      Until <Time at={until} exact /> (<Time at={until} />
      ), by the maintenance {windows.length === 1 ? 'window' : 'windows'} {names}.{' '}
      {isPaused
        ? 'Queues hold their jobs, crons skip their times, and alerts are muted.'
        : 'Runs continue.'}{' '}
      <Link to="/maintenance">See maintenance</Link>
      {action}
    </Notice>
  );
}

function endOf(windows: readonly ActiveWindow[]): number {
  return Math.max(...windows.map(({ activeUntil }) => activeUntil ?? 0));
}

/** Each once: those by "Mute for an hour" have one name. */
function namesOf(windows: readonly ActiveWindow[]): string {
  return [...new Set(windows.map(({ name }) => `“${name}”`))].join(', ');
}

export function MutedMark({ windows }: { windows: readonly ActiveWindow[] }) {
  if (windows.length === 0) return null;
  const until = formatUtc(endOf(windows));
  return (
    <Link to="/maintenance" title={`Alerts are muted until ${until}, by ${namesOf(windows)}`}>
      <Status name="muted" />
    </Link>
  );
}

/** For the team or one source (`cron:<id>`); returns to this page. */
export function MuteForAnHour({ source, isSmall }: { source?: string; isSmall?: boolean }) {
  const { pathname, search } = useLocation();
  return (
    <ActionButton
      action="/maintenance"
      fields={{ next: pathname + search, ...(source && { source }) }}
      intent="start"
      size={isSmall ? 'small' : undefined}
    >
      {source ? 'Mute for an hour' : 'Mute the team for an hour'}
    </ActionButton>
  );
}
