import type { ExecutionRecord } from '#store/crons';
import type { OutcomeHour } from '#store/outcomes';
import type { JobSearch } from '#store/lists';
import type { Store } from '#store/store';
import type { CronPages, OutcomeStep, Overview, QueueRow } from './cron-contract.ts';
import { listQueueRows } from './queue-pages.ts';

const SHOWN = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS = 30;

export function createOverviewPage(store: Store): Pick<CronPages, 'readOverview'> {
  return { readOverview: (teamId) => readOverview(store, teamId) };
}

async function readOverview(store: Store, teamId: string): Promise<Overview> {
  const { lists, outcomes, clock } = store;
  const now = clock.now();
  const today = now - (now % DAY_MS);
  const list = (tab: 'pending' | 'retrying' | 'completed' | 'failed') =>
    lists.listJobs(teamId, { tab }, { limit: SHOWN, isHeldLeftOut: isPlanned(tab) });
  const [last, next, rows, hours, pending, retrying, completed, failed] = await Promise.all([
    lists.readLastRuns(teamId, SHOWN),
    lists.listNextCrons(teamId, SHOWN),
    // The list that the count leads to knows whole seconds.
    listQueueRows(store, teamId, now - (now % 1000) - HOUR_MS),
    outcomes.readHours(teamId, today - (DAYS - 1) * DAY_MS),
    list('pending'),
    list('retrying'),
    list('completed'),
    list('failed'),
  ]);
  const planned = [...pending.jobs, ...retrying.jobs].map((job) => {
    return { kind: 'job' as const, job, at: job.at };
  });
  const ended = [...completed.jobs, ...failed.jobs].map((job) => {
    return { kind: 'job' as const, job, at: job.at };
  });
  return {
    failingCrons: last.failing.map(({ execution, cronName }) => {
      return { cronId: execution.cronId, name: cronName, lastRun: execution };
    }),
    troubledQueues: findTroubled(rows),
    nextUp: [...next.map(asPlanned), ...planned].toSorted((a, b) => a.at - b.at).slice(0, SHOWN),
    justHappened: [...last.ofAll.map(asHappened), ...ended]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, SHOWN),
    lastDay: countSteps(hours, now - (now % HOUR_MS) - 23 * HOUR_MS, HOUR_MS, 24),
    lastMonth: countSteps(hours, today - (DAYS - 1) * DAY_MS, DAY_MS, DAYS),
  };
}

/** What a paused queue holds is not what runs next. */
function isPlanned(tab: JobSearch['tab']): boolean {
  return tab === 'pending' || tab === 'retrying';
}

function asPlanned(cron: { id: string; name: string; nextRunAt: number }) {
  return { kind: 'cron' as const, cronId: cron.id, name: cron.name, at: cron.nextRunAt };
}

function asHappened({
  execution,
  cronName,
}: {
  execution: ExecutionRecord;
  cronName: string;
}): Overview['justHappened'][number] {
  return { kind: 'execution', execution, cronName, at: execution.completedAt ?? 0 };
}

/** What wants a hand: failures in the last hour, or jobs that wait too long. */
function findTroubled(rows: readonly QueueRow[]): QueueRow[] {
  return rows
    .filter(({ failed, health }) => failed.count > 0 || health === 'backlogged')
    .toSorted((a, b) => b.failed.count - a.failed.count)
    .slice(0, SHOWN);
}

/** Steps of equal length with what ended in each; a step without a run counts zero. */
function countSteps(
  hours: readonly OutcomeHour[],
  from: number,
  stepMs: number,
  count: number,
): OutcomeStep[] {
  const steps = Array.from({ length: count }, (_, n): OutcomeStep => {
    const start = from + n * stepMs;
    return { from: start, to: start + stepMs, success: 0, retried: 0, failed: 0 };
  });
  for (const { hour, outcome, runs } of hours) {
    const step = steps[Math.floor((hour - from) / stepMs)];
    if (step) step[outcome] += runs;
  }
  return steps;
}
