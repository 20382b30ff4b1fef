import type { Store } from '#store/store';
import type { CronPages, EndedRuns } from './cron-contract.ts';
import { asHappened } from './overview-page.ts';

/** Of jobs and of crons each. */
const MOST_SHOWN = 100;

export function createEndedRuns(store: Store): Pick<CronPages, 'listEndedRuns'> {
  return { listEndedRuns: (teamId, time) => listEndedRuns(store, teamId, time) };
}

async function listEndedRuns(
  { lists }: Store,
  teamId: string,
  { from, to }: { from: number; to: number },
): Promise<EndedRuns> {
  // What waits or runs in the time stands in the list of jobs too; its `to` is the last moment, not the first after.
  const [page, executions] = await Promise.all([
    lists.listJobs(teamId, { tab: 'all', from, to: to - 1 }, { limit: MOST_SHOWN }),
    lists.listEndedExecutions(teamId, { from, to, limit: MOST_SHOWN }),
  ]);
  const jobs = page.jobs
    .filter(({ status }) => status !== 'pending' && status !== 'processing')
    .map((job) => ({ kind: 'job' as const, job, at: job.at }));
  return {
    runs: [...jobs, ...executions.map(asHappened)].toSorted((a, b) => b.at - a.at),
    hasMoreJobs: page.next !== null,
    hasMoreExecutions: executions.length === MOST_SHOWN,
  };
}
