import { data, Link } from 'react-router';
import { ALERT_LEVELS } from '#domain/alerts/alert-settings';
import { describeBacklogRule, describeFailureRule, kindsOf } from '#domain/alerts/queue-watch';
import { formatRetrySchedule } from '#domain/judging/retry-schedule';
import { FilterReader } from '#domain/runs/read-filters';
import { describeUntil } from '#domain/team/pause';
import { describeRate } from '#domain/team/rate';
import { ActionButton } from '../forms/Form.tsx';
import { PauseUntil, readUntil } from '../page/PauseUntil.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Panel } from '../parts/Panel.tsx';
import { Time } from '../parts/Time.tsx';
import { RecentResults } from '../plots/RecentResults.tsx';
import { QueueHistory } from '../runs/DurationPlot.tsx';
import { describeLoad, HealthWord } from '../runs/HealthWord.tsx';
import { RangePanel } from '../runs/RangePanel.tsx';
import { readSourceForm } from '../runs/SourceList.tsx';
import { readSourceFacts, SourcePage } from '../runs/SourcePage.tsx';
import { SourceSettings } from '../runs/SourceSettings.tsx';
import { failedOf, jobTabs } from '../runs/job-search.ts';
import { findRange, queueRanges } from '../runs/ranges.ts';
import type { DeletionScope, OpenWatch } from '../services.ts';
import { notFound, notHere, open } from '../serving/open.ts';
import { countOf, describeRunning, formatAmount } from '../words/amounts.ts';
import { RetryTimeline } from '../work-forms/RetryField.tsx';
import type { Route } from './+types/queues.$id.ts';

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const filters = new FilterReader(url.searchParams);
  const names = queueRanges.map(({ name }) => name);
  const range = findRange(filters.choice('range', names));
  const { faults } = filters.finish({});
  const steps = { stepMs: range.ms / range.steps, count: range.steps };
  const [row, history, deletion, counts] = await Promise.all([
    work.readQueueRow(team.id, id),
    work.readQueueHistory(team.id, id, steps),
    work.describeQueueDeletion(team.id, id),
    work.countTabs(team.id, id),
  ]);
  if (!row || !history || !deletion)
    return notHere(context, (teamId) => work.findQueue(teamId, id));
  const { queue } = row;
  // Jobs have no recovery; other alerts have.
  const hasRecovery = queue.alertSettings.slowSeconds !== null || kindsOf(queue.watch).length > 0;
  const levels = hasRecovery ? ALERT_LEVELS : (['warning', 'failure'] as const);
  const [facts, rateWait, watches] = await Promise.all([
    readSourceFacts(work, team.id, { kind: 'queue', ...queue, streak: row.streak }, levels),
    work.readRateWait(team.id, queue),
    work.listOpenWatches(team.id, id),
  ]);
  return { row, facts, rateWait, watches, history, range, faults, deletion, counts };
}

export async function action({ params: { id }, context, url }: Route.ActionArgs) {
  const { team, work, form, now, intent, say } = open(context);
  const { here, gone } = readSourceForm({ form, say }, 'queue', `/queues/${id}${url.search}`);
  switch (intent) {
    case 'pause': {
      const until = readUntil({ form, now, say }, here);
      const { name } = (await work.pauseQueue(team.id, id, until)) ?? gone();
      const isPaused = until === null ? 'is paused' : `is paused ${describeUntil(until)}`;
      return say(here, `The queue “${name}” ${isPaused}. It starts nothing and holds its jobs.`);
    }
    case 'enable': {
      const { name } = (await work.resumeQueue(team.id, id)) ?? gone();
      return say(here, `The queue “${name}” is enabled. Due jobs start now.`);
    }
    case 'delete': {
      const count = (await work.deleteQueue(team.id, id)) ?? notFound();
      const jobs = countOf({ count, isMore: false }, 'job', 'jobs');
      return say('/queues', `The queue is deleted, and ${jobs} with it.`);
    }
    default:
      throw data(null, { status: 400 });
  }
}

export default function QueuePage({ loaderData }: Route.ComponentProps) {
  const { row, facts, rateWait, history, range, deletion } = loaderData;
  const { queue } = row;
  const retries = queue.retriesEnabled ? formatRetrySchedule(queue.retrySchedule) || 'None' : 'Off';
  return (
    <SourcePage
      of="queue"
      id={queue.id}
      name={queue.name}
      facts={facts}
      health={<HealthWord of={row} note={describeLoad(row)} />}
      menu={<PauseUntil of="queue" name={queue.name} />}
      more={
        <>
          <ButtonLink to={`/queues/${queue.id}/edit`} variant="default">
            Edit
          </ButtonLink>
          {queue.isPaused ? (
            <ActionButton intent="enable">Enable</ActionButton>
          ) : (
            <ActionButton intent="pause">Pause</ActionButton>
          )}
        </>
      }
      // A paused queue isn't offered for new jobs (§2.3).
      action={
        queue.isPaused ? null : (
          <ButtonLink to={`/jobs/new?queue=${encodeURIComponent(queue.name)}`}>
            Create job
          </ButtonLink>
        )
      }
      deletion={describeDeletion(deletion)}
    >
      {loaderData.watches.map(({ kind, since, words }) => (
        <Notice key={kind} kind="failed" title={watchTitles[kind]}>
          {words} Since <Time at={since} exact /> (<Time at={since} />
          ).{' '}
          <Link to={`/alerts?source=${encodeURIComponent(`queue:${queue.id}`)}`}>
            See its alerts
          </Link>
        </Notice>
      ))}
      {rateWait ? (
        <Notice kind="note">
          {countOf(rateWait.due, 'job is', 'jobs are')} waiting because of the queue’s rate.{' '}
          {rateWait.due.isMore
            ? 'The last one is sent later than'
            : 'The last one is sent at about'}{' '}
          <Time at={rateWait.lastAt} exact />.
        </Notice>
      ) : null}
      <Panel
        title="Last 50 attempts"
        beside={<Link to={`/jobs?tab=all&queue=${queue.id}`}>All its jobs</Link>}
      >
        <RecentResults results={row.recentResults} isWide />
      </Panel>
      <div className="columns">
        <Now {...loaderData} />
        <SourceSettings
          of="queue"
          source={queue}
          facts={facts}
          first={[
            ['Request timeout', `${queue.timeoutSeconds} s`],
            ['Concurrency limit', queue.concurrencyLimit?.toLocaleString('en') ?? 'None'],
            ['Rate', queue.rate ? describeRate(queue.rate) : 'None'],
            ['Automatic retries', retries],
            ['Backlog', describeBacklogRule(queue.watch.backlog)],
            ['Failure rate', describeFailureRule(queue.watch.failureRate)],
            ['Dead letter retention', countOf(queue.deadLetterDays, 'day', 'days')],
          ]}
          alerts={{
            title: 'Email alerts for job failures',
            isOn: queue.emailAlerts || kindsOf(queue.watch).length > 0,
            words: queue.emailAlerts ? 'On' : 'Off',
          }}
          recipientsTitle="Also notified"
        >
          {queue.retriesEnabled ? <RetryTimeline delays={queue.retrySchedule} /> : null}
        </SourceSettings>
      </div>
      <RangePanel title="Over time" ranges={queueRanges} {...loaderData}>
        <QueueHistory queueId={queue.id} history={history} range={range} />
      </RangePanel>
    </SourcePage>
  );
}

function describeDeletion({ waiting, running, finished }: DeletionScope): string {
  const jobs = `${countOf(waiting, 'waiting job is', 'waiting jobs are')} never sent, and ${countOf(finished, 'finished job is', 'finished jobs are')} deleted with it.`;
  const underWay =
    running > 0
      ? ` ${countOf(running, 'attempt is', 'attempts are')} under way; the target may still finish its work.`
      : '';
  return `${jobs}${underWay} This can’t be undone. A later job with this queue name creates it again with default settings.`;
}

function Now({ row, counts }: Pick<Route.ComponentProps['loaderData'], 'row' | 'counts'>) {
  const { queue, running, oldestDueAt, nextDueAt, failed, failedSince } = row;
  const counted = [
    ...jobTabs
      .filter(({ tab }) => tab !== 'all')
      .map(({ tab, name }) => [name, `/jobs?tab=${tab}&queue=${queue.id}`, counts[tab]] as const),
    ['Resent', `/jobs?tab=failed&queue=${queue.id}&resent=only`, counts.resent],
    ['Failed today (UTC)', failedOf(queue.id, failedSince), failed],
  ] as const;
  return (
    <Panel title="Now">
      <DefinitionList
        entries={[
          ...counted.map(
            ([word, to, count]) =>
              [
                word,
                <Link className="num" to={to}>
                  {formatAmount(count)}
                </Link>,
              ] as const,
          ),
          ['Running', describeRunning(running, queue.concurrencyLimit)],
          ['Oldest waiting', <Time at={oldestDueAt} />],
          ['Next due', <Time at={nextDueAt} />],
        ]}
      />
    </Panel>
  );
}

const watchTitles: Record<OpenWatch['kind'], string> = {
  backlog: 'This queue does not drain',
  failure_rate: 'This queue fails too often',
};
