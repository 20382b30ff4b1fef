import type { ExecutionRecord } from '#store/crons/crons';
import type { JobSearch } from '#store/lists/lists';
import type { Store } from '#store/store';
import type { EndedRun, QueueState } from './cron-contract.ts';
import { countSteps, figuresOf, stepsUntil } from './figures.ts';
import { readOutages } from './outages.ts';
import { readQueueStates } from './queue-pages.ts';

const SHOWN = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS = 30;

export type Overview = Awaited<ReturnType<typeof readOverview>>;
/** Figures of the last day and week. */
export type Figures = Overview['figures'];

export async function readOverview(store: Store, teamId: string) {
  const { lists, outcomes, durations, depths, teamPauses, clock } = store;
  const now = clock.now();
  const lastDay = stepsUntil(now, { stepMs: HOUR_MS, count: 24 });
  const lastMonth = stepsUntil(now, { stepMs: DAY_MS, count: DAYS });
  const weekFrom = lastDay.from - 6 * DAY_MS;
  const outages = await readOutages(store, { from: lastMonth.from });
  const list = (tab: 'pending' | 'retrying' | 'completed' | 'failed', from?: number) =>
    lists.listJobs(
      teamId,
      { tab, ...(from !== undefined && { from }) },
      { limit: SHOWN, isPausedLeftOut: isPlanned(tab) },
    );
  // The time is cut to seconds, as in the list that the number links to.
  const reading = readQueueStates(store, teamId, {
    failedSince: now - (now % 1000) - HOUR_MS,
  });
  const [last, next, rows, hours, timed, looked, pending, retrying, completed, failed, pause] =
    await Promise.all([
      lists.readLastRuns(teamId, SHOWN),
      lists.listNextCrons(teamId, SHOWN),
      reading,
      outcomes.readHours(teamId, lastMonth.from),
      durations.readHours(teamId, teamId, weekFrom),
      depths.read(teamId, teamId, weekFrom),
      reading.then((found) => list('pending', firstDue(found, now))),
      list('retrying'),
      list('completed'),
      list('failed'),
      teamPauses.read(teamId),
    ]);
  const planned = [...pending.rows, ...retrying.rows].map((job) => {
    return { kind: 'job' as const, job, at: job.at };
  });
  const ended = [...completed.rows, ...failed.rows].map((job) => {
    return { kind: 'job' as const, job, at: job.at };
  });
  const waits = looked.depths.map(({ oldestMs }) => oldestMs);
  const oldestWaitMs = findLongestWait(rows, now);
  const nextUp = [...next.map(asPlanned), ...planned].toSorted((a, b) => a.at - b.at);
  return {
    figures: {
      lastDay: figuresOf(hours, timed, { from: lastDay.from, now }),
      lastWeek: figuresOf(hours, timed, { from: weekFrom, now }),
      /** How long the earliest due job waits now, and the longest wait of the week; in queues that are not paused. */
      oldestWaitMs,
      longestWaitOfWeekMs: Math.max(oldestWaitMs, ...waits),
    },
    /** Active crons whose last finished run failed, latest failure first. */
    failingCrons: last.failing.map(({ execution, cronName }) => {
      return { cronId: execution.cronId, name: cronName, lastRun: execution };
    }),
    troubledQueues: findTroubled(rows),
    /** The next runs: crons, and waiting jobs of queues that are not paused. None while everything is paused. */
    nextUp: pause ? [] : nextUp.slice(0, SHOWN),
    /** The last ended runs, latest first. */
    justHappened: [...last.ofAll.map(asHappened), ...ended]
      .toSorted((a, b) => b.at - a.at)
      .slice(0, SHOWN),
    lastDay: countSteps(hours, lastDay, { outages, now }),
    lastMonth: countSteps(hours, lastMonth, { outages, now }),
  };
}

/**
 * The time of the first waiting job, or now. A list that begins there does not read again all rows that were claimed
 * since an old snapshot began.
 */
function firstDue(rows: readonly QueueState[], now: number): number {
  return Math.min(now, ...rows.map(({ nextDueAt }) => nextDueAt ?? now));
}

/** The longest wait, without paused queues, whose jobs wait for a person only. */
function findLongestWait(rows: readonly QueueState[], now: number): number {
  const due = rows
    .filter(({ health }) => health !== 'paused')
    .map(({ oldestDueAt }) => oldestDueAt ?? now);
  return Math.max(0, ...due.map((at) => now - at));
}

/** Whether the tab is planned: jobs of paused queues are left out there, since they are not next. */
function isPlanned(tab: JobSearch['tab']): boolean {
  return tab === 'pending' || tab === 'retrying';
}

function asPlanned(cron: { id: string; name: string; nextRunAt: number }) {
  return { kind: 'cron' as const, cronId: cron.id, name: cron.name, at: cron.nextRunAt };
}

export function asHappened({
  execution,
  cronName,
}: {
  execution: ExecutionRecord;
  cronName: string;
}): EndedRun {
  return { kind: 'execution', execution, cronName, at: execution.completedAt ?? 0 };
}

/** Queues that need attention: with failures in the last hour, or jobs that wait too long. */
function findTroubled(rows: readonly QueueState[]): QueueState[] {
  return rows
    .filter(({ failed, health }) => failed.count > 0 || health === 'backlogged')
    .toSorted((a, b) => b.failed.count - a.failed.count)
    .slice(0, SHOWN);
}
