import type { ReactNode } from 'react';
import { data, Link, useLocation } from 'react-router';
import { ALERT_LEVELS } from '#domain/alerts/alert-settings';
import { failedInARow } from '#domain/alerts/alert-words';
import { formatUtcMinute } from '#domain/base/instant';
import { searchFrom } from '#domain/cron/cron';
import { describeEnd, hasEnded, timesWithinEnd } from '#domain/cron/cron-end';
import { type FilterFaults, FilterReader } from '#domain/runs/read-filters';
import { describeUntil } from '#domain/team/pause';
import type { ActiveWindow } from '../alerts/muted-now.ts';
import { ActionButton } from '../forms/Form.tsx';
import { type Column, timeColumn } from '../lists/DataTable.tsx';
import { OtherFaults } from '../lists/FilterBar.tsx';
import { changeSearch, EmptyState, List } from '../lists/List.tsx';
import { readCursor } from '../lists/cut-page.ts';
import { PauseUntil, readUntil } from '../page/PauseUntil.tsx';
import { TabLinks } from '../page/TabLinks.tsx';
import { useShell } from '../page/shell.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { UnreadableNotice } from '../parts/Notice.tsx';
import { Panel } from '../parts/Panel.tsx';
import { BodyPeek } from '../parts/Popover.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Status } from '../parts/Status.tsx';
import { Time, useMoment } from '../parts/Time.tsx';
import { RecentResults } from '../plots/RecentResults.tsx';
import { DurationPlot } from '../runs/DurationPlot.tsx';
import { describeStop, HealthWord } from '../runs/HealthWord.tsx';
import { RangePanel } from '../runs/RangePanel.tsx';
import { readSourceForm } from '../runs/SourceList.tsx';
import { readSourceFacts, SourcePage } from '../runs/SourcePage.tsx';
import { SourceSettings } from '../runs/SourceSettings.tsx';
import { findRange, ranges } from '../runs/ranges.ts';
import { describeOutcome } from '../runs/reasons.ts';
import { durationColumn } from '../runs/run-columns.tsx';
import type { CronListRow, HistoryRun, MaintenanceWindowView, RowsPage } from '../services.ts';
import { notFound, notHere, open } from '../serving/open.ts';
import { countOf, formatRate } from '../words/amounts.ts';
import { describeExpression, readSchedule } from '../words/schedule-words.ts';
import type { Route } from './+types/crons.$id.ts';

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const filters = new FilterReader(url.searchParams);
  const status = filters.choice('status', ['success', 'failed']);
  const names = ranges.map(({ name }) => name);
  const range = findRange(filters.choice('range', names));
  const { faults } = filters.finish({});
  const shown = { ...readCursor(url), ...(status && { status }) };
  const period = { from: now - range.ms, to: now, steps: range.steps };
  const [row, cron, history, durations, deletion] = await Promise.all([
    work.readCronRow(team.id, id),
    work.findCron(team.id, id),
    work.listCronHistory(team.id, id, shown),
    work.readDurations(team.id, id, period),
    work.describeCronDeletion(team.id, id),
  ]);
  if (!row || !cron || !durations || !deletion)
    return notHere(context, (teamId) => work.findCron(teamId, id));
  const source = { kind: 'cron' as const, ...cron, streak: row.streak };
  const facts = await readSourceFacts(work, team.id, source, ALERT_LEVELS);
  const { payload, unreadable } = cron;
  const headers = cron.headers.map(([name]) => name);
  const plots = { durations, range, faults, history, status: status ?? null };
  return { ...plots, row, facts, headers, payload, unreadable, deletion };
}

export async function action({ params: { id }, context, url }: Route.ActionArgs) {
  const { team, work, form, now, intent, say } = open(context);
  const { here, gone } = readSourceForm({ form, say }, 'cron', `/crons/${id}${url.search}`);
  switch (intent) {
    case 'run': {
      const run = (await work.runCronNow(team.id, id)) ?? gone();
      return say(here, {
        kind: 'done',
        text: 'One run has started, in addition to the schedule.',
        href: `/executions/${run.id}`,
        linkText: 'See the run',
      });
    }
    case 'start':
      if (!(await work.startCron(team.id, id))) gone();
      return say(here, 'The cron runs on schedule again.');
    case 'pause': {
      const until = readUntil({ form, now, say }, here);
      if (!(await work.pauseCron(team.id, id, until))) gone();
      return say(
        here,
        until === null
          ? 'The cron is paused: it does not run until you start it.'
          : `The cron is paused ${describeUntil(until)}.`,
      );
    }
    case 'unmute': {
      const change = await work.unmuteCron(team.id, id);
      if (change.kind === 'not-found') notFound();
      if (change.kind !== 'done')
        return say(here, { kind: 'failed', text: `Nothing was changed: ${change.why}.` });
      return say(here, 'The cron is unmuted. If it still fails, its channels are notified now.');
    }
    case 'delete':
      if (!(await work.deleteCron(team.id, id))) notFound();
      return say('/crons', 'The cron is deleted with its runs.');
    default:
      throw data(null, { status: 400 });
  }
}

export default function CronPage({ loaderData }: Route.ComponentProps) {
  const { row, facts, headers, payload, durations, range, faults, deletion } = loaderData;
  const { cron } = row;
  const runs = cron.alertThreshold && failedInARow(cron.alertThreshold);
  const stops = cron.stopAfter && failedInARow(cron.stopAfter);
  const { callbackUrl } = cron;
  return (
    <SourcePage
      of="cron"
      id={cron.id}
      name={cron.name}
      facts={facts}
      health={<HealthWord of={row} {...describeStop(cron)} />}
      menu={<PauseUntil of="cron" name={cron.name} />}
      note={<RequestLine method={cron.method} url={cron.url} copy="Copy method and URL" />}
      more={
        <>
          <ButtonLink to={`/crons/new?from=${cron.id}`} variant="default">
            Duplicate
          </ButtonLink>
          <ButtonLink to={`/crons/${cron.id}/edit`} variant="default">
            Edit
          </ButtonLink>
          {cron.isActive ? (
            <ActionButton intent="pause">Pause</ActionButton>
          ) : (
            <ActionButton intent="start">Start</ActionButton>
          )}
        </>
      }
      action={
        <ActionButton intent="run" variant="filled">
          Run now
        </ActionButton>
      }
      deletion={`It never runs again, and its history of ${countOf(deletion.finished, 'run', 'runs')} is deleted too. This can’t be undone. To stop it for a while, pause it.`}
      notices={<UnreadableNotice what={loaderData.unreadable} />}
      unmute={
        facts.windows.every(isOwn) ? (
          <ActionButton intent="unmute" size="small">
            Unmute
          </ActionButton>
        ) : null
      }
    >
      <PlannedRuns row={row} windows={facts.windows} />
      <History page={loaderData.history} status={loaderData.status} faults={faults} />
      <div className="columns">
        <RangePanel title="Duration" ranges={ranges} range={range} faults={faults}>
          <DurationPlot {...durations} range={range} />
        </RangePanel>
        <SourceSettings
          of="cron"
          source={cron}
          facts={facts}
          first={[
            ['Starts', cron.startsAt && `${formatUtcMinute(cron.startsAt)} UTC`],
            ['Ends', describeItsEnd(cron)],
            ['Stops', stops && `After ${stops}`],
            ['Request timeout', `${cron.timeoutSeconds} s`],
          ]}
          alerts={{ title: 'Alerts', isOn: runs !== null, words: runs ? `After ${runs}` : 'Off' }}
          recipientsTitle="Notified"
          last={[
            ['Headers', headers.join(', ') || 'None'],
            ['Payload', payload === null ? 'None' : <code>{payload.slice(0, 200)}</code>],
            [
              'Callback URL',
              callbackUrl ? <RequestLine url={callbackUrl} copy="Copy callback URL" /> : 'None',
            ],
          ]}
        />
      </div>
    </SourcePage>
  );
}

/** Others are not this cron's to end. */
const isOwn = ({ isWeekly, covers }: MaintenanceWindowView) => !isWeekly && covers !== 'team';

function PlannedRuns({
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
function describeItsEnd({ end, runsCounted }: CronListRow['cron']): string | null {
  if (end.endsAt === null && end.maxRuns === null) return null;
  return `${describeEnd(end)}${end.maxRuns === null ? '' : ` (${runsCounted} so far)`}`;
}

const tabs = [
  { name: 'All runs', status: null },
  { name: 'Success', status: 'success' },
  { name: 'Failed', status: 'failed' },
] as const;

type HistoryProps = {
  page: RowsPage<HistoryRun>;
  status: 'success' | 'failed' | null;
  faults: FilterFaults | null;
};

/** Newest first. */
function History({ page, status, faults }: HistoryProps) {
  const { search } = useLocation();
  const isUnreadable = faults?.['status'] !== undefined;
  return (
    <section aria-label="History">
      <TabLinks
        label="Runs by status"
        tabs={tabs.map((tab) => ({
          name: tab.name,
          to: changeSearch(search, { status: tab.status, after: null, before: null }),
          isCurrent: !isUnreadable && tab.status === status,
        }))}
      />
      <OtherFaults faults={faults} names={{ status: 'Status' }} />
      <List
        faults={isUnreadable ? faults : null}
        caption="Runs"
        columns={columns}
        rows={page.rows}
        empty={
          status === null ? (
            <EmptyState title="No runs yet">
              Runs appear here after the first scheduled time, or after Run now.
            </EmptyState>
          ) : (
            <EmptyState title="No run with this status">
              Look at all runs to see the others.
            </EmptyState>
          )
        }
        page={page}
      />
    </section>
  );
}

const columns: Column<HistoryRun>[] = [
  {
    head: 'Status',
    width: '110px',
    cell: ({ id, status }) => (
      <Link to={`/executions/${id}`}>
        <Status name={status} />
      </Link>
    ),
  },
  timeColumn('When', ({ scheduledAt, createdAt }) => scheduledAt ?? createdAt, { isPlain: true }),
  {
    head: 'Started by',
    hiddenBelow: 600,
    isPlain: true,
    width: '92px',
    givesWay: 1,
    cell: ({ scheduledAt, actor }) =>
      scheduledAt === null ? <span title={actor ?? undefined}>Run now</span> : 'Schedule',
  },
  {
    head: 'Outcome',
    isPlain: true,
    width: '186px',
    cell: (row) => (
      <>
        <span title={row.errorMessage ?? undefined} className="whole">
          {describeOutcome(row)}
        </span>
        {row.overlaps ? (
          <small className="muted"> started before the previous run ended</small>
        ) : null}
      </>
    ),
  },
  { ...durationColumn, width: '96px' },
  {
    head: 'Response',
    cell: ({ id, bodyStart, hasMore, errorMessage }) =>
      bodyStart === null ? (
        <span className="muted">{errorMessage ?? '–'}</span>
      ) : (
        <BodyPeek text={bodyStart} hasMore={hasMore} restTo={`/executions/${id}?body=whole`} />
      ),
  },
];
