/** The first steps of a new team. Each step is judged by what exists, so it is ticked however it was done. */
import type { Counts, Overview, Attention } from '../services.ts';

export type FirstSteps = {
  job:
    | { state: 'open' | 'under-way' | 'failed' }
    /** `runTo`: the page of the latest successful run, if that is among the newest; else null. */
    | { state: 'done'; runTo: string | null; said: Arrived | null };
  cron: { state: 'open' } | { state: 'done'; nextRunAt: number | null };
  alerts: { state: 'open' | 'done' };
};

/** The target's response. */
type Arrived = {
  responseStatus: number | null;
  durationMs: number | null;
  at: number;
};

type Facts = {
  overview: Pick<Overview, 'justHappened' | 'lastMonth' | 'nextUp'>;
  counts: Counts;
  attention: Pick<Attention, 'failedJobs'>;
  /** Whether alerts reach anybody who does not look at the pages. */
  areAlertsTold: boolean;
  now: number;
};

/** A job that is due later than this is not waited for. */
const soonMs = 60_000;

export function readFirstSteps(facts: Facts): FirstSteps {
  const { overview, counts, areAlertsTold } = facts;
  const { active, paused } = counts.crons;
  const next = overview.nextUp.find(({ kind }) => kind === 'cron');
  return {
    job: readJobStep(facts),
    cron:
      active + paused === 0 ? { state: 'open' } : { state: 'done', nextRunAt: next?.at ?? null },
    alerts: { state: areAlertsTold ? 'done' : 'open' },
  };
}

function readJobStep({ overview, counts, attention, now }: Facts): FirstSteps['job'] {
  const { justHappened, lastMonth, nextUp } = overview;
  const { jobs } = counts;
  for (const entry of justHappened) {
    const run = entry.kind === 'job' ? entry.job : entry.execution;
    if (run.status !== 'success') continue;
    const { responseStatus, durationMs, id } = run;
    const runTo = entry.kind === 'job' ? `/jobs/${id}` : `/executions/${id}`;
    return { state: 'done', runTo, said: { responseStatus, durationMs, at: entry.at } };
  }
  if (hasSucceeded({ lastMonth })) return { state: 'done', runTo: null, said: null };
  // After a failure the reason is more important than the retry, which waits for its time.
  if (jobs.retrying > 0 || attention.failedJobs > 0) return { state: 'failed' };
  const isSoon = nextUp.some(({ kind, at }) => kind === 'job' && at < now + soonMs);
  return { state: isSoon || jobs.processing > 0 ? 'under-way' : 'open' };
}

/** Whether any run has succeeded in the last month. */
function hasSucceeded({ lastMonth }: Pick<Overview, 'lastMonth'>): boolean {
  return lastMonth.some(({ success }) => success > 0);
}

export function areAllDone({ job, cron, alerts }: FirstSteps): boolean {
  return [job, cron, alerts].every(({ state }) => state === 'done');
}
