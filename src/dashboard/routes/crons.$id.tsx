import { ActionButton } from '../forms/ActionButton.tsx';
import { open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { data, Link } from 'react-router';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { ALERT_LEVELS, type AlertSettings } from '#domain/alert-settings';
import { readSlowSince, SlowNotice } from '../alerts/SlowNotice.tsx';
import { readTold } from '../alerts/told.ts';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { notFound } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import { countOf } from '../words/amounts.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { MoreActions } from '../parts/MoreActions.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { FilterReader } from '#domain/read-filters';
import { readCursor } from '../lists/read-cursor.ts';
import { Notice } from '../parts/Notice.tsx';
import { Status } from '../parts/Status.tsx';
import { DurationPlot } from '../runs/DurationPlot.tsx';
import { History } from '../runs/History.tsx';
import { describeItsEnd } from '../runs/CronOutlook.tsx';
import { PlannedRuns } from '../runs/PlannedRuns.tsx';
import { cronStatus } from '../runs/cron-status.ts';
import { describeStreak, readStreak } from '../runs/failing-streak.ts';
import { AnswerStart } from '../runs/RunParts.tsx';
import { RangePanel } from '../runs/RangePanel.tsx';
import { SourceSettings } from '../runs/SourceSettings.tsx';
import { findRange, ranges } from '../runs/ranges.ts';
import type {
  CronListRow,
  DeletionScope,
  ExecutionRunDetail,
  MaintenanceWindowView,
  Work,
} from '../services.ts';
import classes from './crons.module.css';
import { UnreadableNotice } from '../parts/UnreadableNotice.tsx';
import type { Route } from './+types/crons.$id.ts';

export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const filters = new FilterReader(url.searchParams);
  const status = filters.choice('status', ['success', 'failed']);
  const range = findRange(
    filters.choice(
      'range',
      ranges.map(({ name }) => name),
    ),
  );
  const { faults } = filters.finish(null);
  const [row, cron, history, durations, deletion, windows, activity] = await Promise.all([
    work.readCronRow(team.id, params.id),
    work.findCron(team.id, params.id),
    work.listCronHistory(team.id, params.id, {
      ...readCursor(url),
      ...(status ? { status } : {}),
    }),
    work.readDurations(team.id, params.id, {
      from: now - range.ms,
      to: now,
      steps: range.steps,
    }),
    work.describeCronDeletion(team.id, params.id),
    work.listActiveWindows(team.id, { kind: 'cron', id: params.id }),
    work.listActivityOf(team.id, params.id),
  ]);
  if (!row || !cron || !durations || !deletion)
    return notHere(context, (teamId) => work.findCron(teamId, params.id));
  const headers = cron.headers.map(([name]) => ({ name, isSecret: work.isSecretHeader(name) }));
  const { payload, unreadable } = cron;
  const failing = await readFailing(work, team.id, row);
  const told = await readTold(work, team.id, cron.alertSettings, ALERT_LEVELS);
  const slowSince = await readSlowSince(work, team.id, cron.id, cron.alertSettings);
  const page = {
    row,
    slowSince,
    headers,
    payload,
    unreadable,
    history,
    failing,
    told,
    alertSettings: cron.alertSettings,
    status: status ?? null,
  };
  return { ...page, durations, range, faults, deletion, windows, activity };
}

/** The header's words about a cron that fails. */
async function readFailing(work: Work, teamId: string, { recentResults }: CronListRow) {
  const streak = readStreak(recentResults);
  const run = streak && (await work.readExecutionDetail(teamId, streak.lastRunId));
  if (!run) return null;
  const { record, response } = run;
  return { title: describeStreak(streak, record), runId: record.id, response };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, intent, say } = open(context);
  const here = `/crons/${params.id}`;
  switch (intent) {
    case 'run': {
      const run = (await work.runCronNow(team.id, params.id)) ?? notFound();
      return say(here, {
        kind: 'done',
        text: 'One run is on its way, beside the schedule.',
        href: `/executions/${run.id}`,
        linkText: 'Look at it',
      });
    }
    case 'start':
      if (!(await work.startCron(team.id, params.id))) notFound();
      return say(here, 'The cron runs on schedule again.');
    case 'pause':
      if (!(await work.pauseCron(team.id, params.id))) notFound();
      return say(here, 'The cron is paused: it does not run until it is started.');
    case 'unmute': {
      const change = await work.unmuteCron(team.id, params.id);
      if (change.kind === 'not-found') notFound();
      return say(
        here,
        change.kind === 'done'
          ? 'The cron is unmuted. If it still fails, its channels are notified now.'
          : { kind: 'failed', text: `Nothing was changed: ${change.why}.` },
      );
    }
    case 'delete':
      if (!(await work.deleteCron(team.id, params.id))) notFound();
      return say('/crons', 'The cron is deleted with its runs.');
    default:
      throw data(null, { status: 400 });
  }
}

export default function CronPage({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(5);
  const { row, history, status, durations, range, faults, deletion, windows } = loaderData;
  const { cron } = row;
  return (
    <>
      <PageHeader
        title={cron.name}
        beside={<Status name={cronStatus(cron)} />}
        parent={{ to: '/crons', text: 'Crons' }}
        note={<RequestLine method={cron.method} url={cron.url} copy="Copy method and URL" />}
        more={<More row={row} />}
        action={
          <ActionButton intent="run" variant="filled">
            Run now
          </ActionButton>
        }
        menu={<DeleteCron row={row} deletion={deletion} />}
      />
      <div className="stack">
        {loaderData.failing ? <Failing {...loaderData.failing} /> : null}
        <SlowNotice since={loaderData.slowSince} source={`cron:${cron.id}`} />
        <UnreadableNotice what={loaderData.unreadable} />
        <MaintenanceNotice
          windows={windows}
          of="this cron"
          action={windows.every(isOwn) ? <Unmute /> : null}
        />
        <div className={classes.columns}>
          <div className="stack">
            <PlannedRuns row={row} />
            <RangePanel title="Duration" ranges={ranges} range={range} faults={faults}>
              <DurationPlot durations={durations} range={range} />
            </RangePanel>
          </div>
          <Settings {...loaderData} />
        </div>
        <History page={history} status={status} faults={faults} />
        <ActivityPanel activity={loaderData.activity} />
      </div>
    </>
  );
}

/** One that comes again, or mutes everything, is not this cron's to end. */
const isOwn = ({ isWeekly, covers }: MaintenanceWindowView) => !isWeekly && covers !== 'team';

function Unmute() {
  return (
    <ActionButton intent="unmute" size="small">
      Unmute
    </ActionButton>
  );
}

function Failing({
  title,
  runId,
  response,
}: {
  title: string;
  runId: string;
  response: ExecutionRunDetail['response'];
}) {
  return (
    <Notice kind="failed" title={title}>
      <AnswerStart response={response} />
      <p>
        <Link to={`/executions/${runId}`}>See what happened and what to do</Link>
      </p>
    </Notice>
  );
}

type DeleteProps = { row: CronListRow; deletion: DeletionScope };

function DeleteCron({ row: { cron }, deletion: { finished: runs } }: DeleteProps) {
  return (
    <MoreActions of={cron.name}>
      <ConfirmDialog
        word="Delete"
        question={`Delete the cron “${cron.name}”?`}
        fields={{ intent: 'delete' }}
      >
        It never runs again, and its history of {countOf(runs, 'run', 'runs')} goes with it. This
        can’t be undone. To stop it for a while, pause it.
      </ConfirmDialog>
    </MoreActions>
  );
}

function More({ row: { cron } }: { row: CronListRow }) {
  const [intent, word] = cron.isActive ? ['pause', 'Pause'] : ['start', 'Start'];
  return (
    <>
      <ButtonLink to={`/crons/new?from=${cron.id}`} variant="default">
        Duplicate
      </ButtonLink>
      <ButtonLink to={`/crons/${cron.id}/edit`} variant="default">
        Edit
      </ButtonLink>
      <ActionButton intent={intent}>{word}</ActionButton>
    </>
  );
}

type SettingsProps = {
  row: CronListRow;
  windows: readonly MaintenanceWindowView[];
  headers: { name: string; isSecret: boolean }[];
  payload: string | null;
  /** Who is told of its alerts; null where that is the default channel. */
  told: string | null;
  alertSettings: AlertSettings;
};

function Settings(props: SettingsProps) {
  const { headers, payload, windows, told, alertSettings } = props;
  const { cron } = props.row;
  const threshold = cron.alertThreshold;
  return (
    <SourceSettings
      of="cron"
      source={cron}
      first={[
        ['Ends', describeItsEnd(cron)],
        ['Request timeout', `${cron.timeoutSeconds} s`],
      ]}
      alertSettings={alertSettings}
      alerts={{
        title: 'Alerts',
        isOn: threshold !== null,
        words:
          threshold === null
            ? 'Off'
            : `After ${countOf(threshold, 'failed run', 'failed runs in a row')}`,
      }}
      isMuted={windows.length > 0}
      told={['Told', told]}
      last={[
        ['Headers', headers.length === 0 ? 'None' : headers.map(({ name }) => name).join(', ')],
        ['Payload', payload === null ? 'None' : <code>{payload.slice(0, 200)}</code>],
        [
          'Callback URL',
          cron.callbackUrl ? (
            <RequestLine url={cron.callbackUrl} copy="Copy callback URL" />
          ) : (
            'None'
          ),
        ],
      ]}
    />
  );
}
