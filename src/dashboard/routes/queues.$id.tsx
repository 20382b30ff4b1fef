import { ActionButton } from '../forms/ActionButton.tsx';
import { open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { data, Link } from 'react-router';
import { describeRate } from '#domain/rate';
import { formatRetrySchedule } from '#domain/retry-schedule';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { ALERT_LEVELS } from '#domain/alert-settings';
import { readSlowSince, SlowNotice } from '../alerts/SlowNotice.tsx';
import { readTold } from '../alerts/told.ts';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { notFound } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import { RetryTimeline } from '../work-forms/RetryField.tsx';
import { countOf, describeRunning, formatAmount } from '../words/amounts.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { MoreActions } from '../parts/MoreActions.tsx';
import { Notice } from '../parts/Notice.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { FilterReader } from '#domain/read-filters';
import { RecentResults } from '../plots/RecentResults.tsx';
import { Time } from '../parts/Time.tsx';
import { failedOf } from '../runs/job-search.ts';
import { QueueHealthWord } from '../runs/QueueHealthWord.tsx';
import { QueueHistory } from '../runs/QueueHistory.tsx';
import { RangePanel } from '../runs/RangePanel.tsx';
import { SourceSettings } from '../runs/SourceSettings.tsx';
import { findRange, queueRanges } from '../runs/ranges.ts';
import { Panel } from '../runs/RunParts.tsx';
import type { DeletionScope, QueueListRow, RateWait } from '../services.ts';
import classes from './crons.module.css';
import type { Route } from './+types/queues.$id.ts';

export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const filters = new FilterReader(url.searchParams);
  const names = queueRanges.map(({ name }) => name);
  const range = findRange(filters.choice('range', names));
  const { faults } = filters.finish(null);
  const steps = { stepMs: range.ms / range.steps, count: range.steps };
  const [row, history, deletion, windows, activity] = await Promise.all([
    work.readQueueRow(team.id, params.id),
    work.readQueueHistory(team.id, params.id, steps),
    work.describeQueueDeletion(team.id, params.id),
    work.listActiveWindows(team.id, { kind: 'queue', id: params.id }),
    work.listActivityOf(team.id, params.id),
  ]);
  if (!row || !history || !deletion)
    return notHere(context, (teamId) => work.findQueue(teamId, params.id));
  const { alertSettings } = row.queue;
  const levels = alertSettings.slow === null ? LEVELS_OF_JOBS : ALERT_LEVELS;
  const told = await readTold(work, team.id, alertSettings, levels);
  const slowSince = await readSlowSince(work, team.id, row.queue.id, alertSettings);
  const rateWait = await work.readRateWait(team.id, row.queue);
  const shown = { row, rateWait, slowSince, history, range, faults, deletion };
  const page = { ...shown, windows, activity, told };
  return { ...page, counts: await work.countTabs(team.id, params.id) };
}

/** Jobs have no recovery; a slow queue has. */
const LEVELS_OF_JOBS = ['warning', 'failure'] as const;

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, intent, say } = open(context);
  const here = `/queues/${params.id}`;
  switch (intent) {
    case 'pause':
      if (!(await work.pauseQueue(team.id, params.id))) notFound();
      return say(here, 'The queue is paused. It starts nothing and holds its jobs.');
    case 'enable':
      if (!(await work.resumeQueue(team.id, params.id))) notFound();
      return say(here, 'The queue is enabled. What is due starts now.');
    case 'delete': {
      const count = (await work.deleteQueue(team.id, params.id)) ?? notFound();
      const jobs = countOf({ count, isMore: false }, 'job', 'jobs');
      return say('/queues', `The queue is deleted, and ${jobs} with it.`);
    }
    default:
      throw data(null, { status: 400 });
  }
}

const tabs = [
  ['pending', 'Pending'],
  ['processing', 'Processing'],
  ['retrying', 'Retrying'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
] as const;

export default function QueuePage({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(5);
  const { row, history, range, deletion, windows } = loaderData;
  const { queue, health } = row;
  return (
    <>
      <PageHeader
        title={queue.name}
        beside={<QueueHealthWord health={health} />}
        parent={{ to: '/queues', text: 'Queues' }}
        more={<More row={row} />}
        action={<CreateJob queue={queue} />}
        menu={<DeleteQueue row={row} deletion={deletion} />}
      />
      <div className="stack">
        <SlowNotice since={loaderData.slowSince} source={`queue:${queue.id}`} />
        <MaintenanceNotice windows={windows} of="this queue" />
        <RateNotice wait={loaderData.rateWait} />
        <div className={classes.columns}>
          <Now {...loaderData} />
          <Settings row={row} isMuted={windows.length > 0} told={loaderData.told} />
        </div>
        <RangePanel title="Over time" ranges={queueRanges} {...loaderData}>
          <QueueHistory queueId={queue.id} history={history} range={range} />
        </RangePanel>
        <ActivityPanel activity={loaderData.activity} />
      </div>
    </>
  );
}

function Now({ row, counts }: Pick<Route.ComponentProps['loaderData'], 'row' | 'counts'>) {
  const { queue, running, oldestDueAt, nextDueAt, failed, failedSince } = row;
  const counted = [
    ...tabs.map(
      ([tab, word]) => [word, `/jobs?tab=${tab}&queue=${queue.id}`, counts[tab]] as const,
    ),
    ['Resent', `/jobs?tab=failed&queue=${queue.id}&resent=only`, counts.resent],
    ['Failed today (UTC)', failedOf(queue.id, failedSince), failed],
  ] as const;
  return (
    <Panel title="Now" beside={<Link to={`/jobs?tab=all&queue=${queue.id}`}>All its jobs</Link>}>
      <DefinitionList
        entries={[
          ...counted.map(
            ([word, to, count]) =>
              [
                word,
                <Link key={word} className="num" to={to}>
                  {formatAmount(count)}
                </Link>,
              ] as const,
          ),
          ['Running', describeRunning(running, queue.concurrencyLimit)],
          ['Oldest waiting', <Time key="oldest" at={oldestDueAt} />],
          ['Next due', <Time key="next" at={nextDueAt} />],
        ]}
      />
      <div>
        <h3>Last 50 attempts</h3>
        <RecentResults results={row.recentResults} />
      </div>
    </Panel>
  );
}

/** More is due than the rate lets start at once. */
function RateNotice({ wait }: { wait: RateWait | null }) {
  if (wait === null) return null;
  const { due, lastAt } = wait;
  return (
    <Notice kind="note">
      {countOf(due, 'job is', 'jobs are')} waiting for the rate:{' '}
      {due.isMore ? 'the last is sent later than' : 'the last is sent at about'}{' '}
      <Time at={lastAt} exact />.
    </Notice>
  );
}

function DeleteQueue({
  row: { queue },
  deletion: { waiting, running, finished },
}: {
  row: QueueListRow;
  deletion: DeletionScope;
}) {
  return (
    <MoreActions of={queue.name}>
      <ConfirmDialog
        word="Delete"
        question={`Delete the queue “${queue.name}”?`}
        fields={{ intent: 'delete' }}
      >
        {countOf(waiting, 'waiting job is', 'waiting jobs are')} never sent, and{' '}
        {countOf(finished, 'finished job is', 'finished jobs are')} deleted with it.{' '}
        {running > 0
          ? `${countOf(running, 'attempt is', 'attempts are')} under way; the target may still finish its work. `
          : ''}
        This can’t be undone. A job that names the queue later makes it anew with default settings.
      </ConfirmDialog>
    </MoreActions>
  );
}

/** A paused queue is not offered for new jobs (§2.3), so it has no such button. */
function CreateJob({ queue: { name, isPaused } }: Pick<QueueListRow, 'queue'>) {
  if (isPaused) return null;
  return <ButtonLink to={`/jobs/new?queue=${encodeURIComponent(name)}`}>Create job</ButtonLink>;
}

function More({ row: { queue } }: { row: QueueListRow }) {
  const [intent, word] = queue.isPaused ? ['enable', 'Enable'] : ['pause', 'Pause'];
  return (
    <>
      <ButtonLink to={`/queues/${queue.id}/edit`} variant="default">
        Edit
      </ButtonLink>
      <ActionButton intent={intent}>{word}</ActionButton>
    </>
  );
}

type SettingsProps = {
  row: QueueListRow;
  isMuted: boolean;
  /** Who is told besides every member; null where that is the default channel. */
  told: string | null;
};

function Settings({ row: { queue }, isMuted, told }: SettingsProps) {
  return (
    <SourceSettings
      of="queue"
      source={queue}
      first={[
        ['Request timeout', `${queue.timeoutSeconds} s`],
        ['Concurrency limit', queue.concurrencyLimit?.toLocaleString('en') ?? 'None'],
        ['Rate', queue.rate ? describeRate(queue.rate) : 'None'],
        [
          'Automatic retries',
          queue.retriesEnabled ? formatRetrySchedule(queue.retrySchedule) || 'None' : 'Off',
        ],
        ['Dead letter retention', countOf(queue.deadLetterDays, 'day', 'days')],
      ]}
      alertSettings={queue.alertSettings}
      alerts={{
        title: 'Email alerts for job failures',
        isOn: queue.emailAlerts,
        words: queue.emailAlerts ? 'On' : 'Off',
      }}
      isMuted={isMuted}
      told={['Told besides', told]}
    >
      {queue.retriesEnabled ? <RetryTimeline delays={queue.retrySchedule} /> : null}
    </SourceSettings>
  );
}
