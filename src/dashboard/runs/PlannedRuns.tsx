import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { searchFrom } from '#domain/cron/cron';
import { hasEnded, timesWithinEnd, describeEnd } from '#domain/cron/cron-end';
import type { ActiveWindow } from '../alerts/muted-now.ts';
import { useShell } from '../page/shell.ts';
import { Notice } from '../parts/Notice.tsx';
import { Time, useMoment } from '../parts/Time.tsx';
import { RecentResults } from '../plots/RecentResults.tsx';
import type { CronListRow } from '../services.ts';
import { describeExpression, readSchedule } from '../words/schedule-words.ts';
import { Panel } from '../parts/Panel.tsx';
import { describeOverlap } from './overlap.ts';
import { formatRate } from '../words/amounts.ts';

export function PlannedRuns({
  row: { cron, lastRun, recentResults, successRate },
  windows,
}: {
  row: CronListRow;
  /** The active ones that cover it. */
  windows: readonly ActiveWindow[];
}) {
  const { now, timeZone } = useMoment();
  const pauseEnds = windows.flatMap((each) => (each.pausesRuns ? (each.activeUntil ?? []) : []));
  const from = Math.max(searchFrom(cron.startsAt, now), ...pauseEnds.map((end) => end - 1));
  const reading = readSchedule(cron.cronExpression, from, timeZone);
  const times = reading.kind === 'right' ? reading.runs : [];
  const planned = timesWithinEnd(times, cron.end, cron.runsCounted);
  const isTeamPaused = (useShell()?.pause ?? null) !== null;
  const runs = cron.isActive && !isTeamPaused ? planned.slice(0, 5) : [];
  const overlap = describeOverlap(recentResults, planned);
  const isPlanned = cron.isActive && !hasEnded(cron);
  const outlook =
    isTeamPaused && isPlanned
      ? 'No runs while the team is paused.'
      : describeOutlook(cron, runs.length < 5);
  return (
    <Panel
      title="Last 50 runs"
      beside={
        <span className="muted">
          {formatRate(successRate)} success
          {lastRun?.completedAt ? (
            <>
              , last run <Time at={lastRun.completedAt} />
            </>
          ) : null}
        </span>
      }
    >
      <RecentResults results={recentResults} isWide />
      <div className="row">
        <span>
          {describeExpression(cron.cronExpression)} (UTC) <code>{cron.cronExpression}</code>
        </span>
        {isPlanned && !isTeamPaused ? (
          <>
            <span className="muted">Next</span>
            <ol className="row" aria-label="Next runs">
              {runs.map((at) => (
                <li key={at}>
                  <Time at={at} exact />
                </li>
              ))}
            </ol>
          </>
        ) : null}
        {outlook === null ? null : <p className="muted">{outlook}</p>}
      </div>
      {overlap ? (
        <Notice kind="warning" title="Runs overlap">
          {overlap}
        </Notice>
      ) : null}
    </Panel>
  );
}

/** @param isLastShown all remaining runs are shown */
function describeOutlook(cron: CronListRow['cron'], isLastShown: boolean): ReactNode {
  if (cron.pausedUntil !== null)
    return (
      <>
        No runs until <Time at={cron.pausedUntil} exact />, when the pause ends.
      </>
    );
  if (!cron.isActive) return 'No runs while the cron is paused.';
  if (hasEnded(cron))
    return (
      <>
        The cron has ended and does not run again.{' '}
        <Link to={`/crons/${cron.id}/edit`}>Change its end</Link> to let it run again. You can still
        use Run now.
      </>
    );
  return isLastShown ? 'Then the cron ends.' : null;
}

/** Null without an end. */
export function describeItsEnd({ end, runsCounted }: CronListRow['cron']): string | null {
  if (end.endsAt === null && end.maxRuns === null) return null;
  return `${describeEnd(end)}${end.maxRuns === null ? '' : ` (${runsCounted} so far)`}`;
}
