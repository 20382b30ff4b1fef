import { readAskedWait } from '#domain/retry-after';
import { readTrace } from '#domain/run-trace';
import type { JobDetail, JobRecord } from '#store/jobs/job-records';
import type { Queue } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { AskedWait } from './run-contract.ts';

/**
 * The wait (Retry-After) that a target asked for and that delays a job's retry, or would delay it. It comes from the
 * response to the attempt that is shown, or to the one before, or the target holds it because it told another job so.
 */
export async function findAskedWait(
  { jobs }: Pick<Store, 'jobs'>,
  shown: JobDetail,
  attempts: readonly JobRecord[],
  queue: Pick<Queue, 'honorsRetryAfter'> | null,
): Promise<AskedWait | null> {
  const numbered = (number: number) => attempts.find((each) => each.attemptNumber === number);
  if (shown.status === 'retried') {
    return askedWaitOf(shown, numbered(shown.attemptNumber + 1), queue);
  }
  const heldUntil = await jobs.findHold(shown.teamId, shown.id);
  if (heldUntil !== null && heldUntil >= shown.scheduledAt) {
    return { until: heldUntil, isKept: true };
  }
  const before = shown.status === 'pending' ? numbered(shown.attemptNumber - 1) : undefined;
  const failed = before ? await jobs.find(shown.teamId, before.id) : null;
  return failed && askedWaitOf(failed, shown, queue);
}

function askedWaitOf(
  { responseStatus, completedAt, response }: JobDetail,
  next: Pick<JobRecord, 'scheduledAt'> | undefined,
  queue: Pick<Queue, 'honorsRetryAfter'> | null,
): AskedWait | null {
  const responseHeaders = readTrace(response?.trace ?? null)?.responseHeaders;
  if (!responseHeaders || completedAt === null || !next) return null;
  const until = readAskedWait({ responseStatus, responseHeaders }, completedAt);
  if (until === null || next.scheduledAt > until) return null;
  const isKept = next.scheduledAt === until;
  // If the retry is earlier although the queue waits, a person has fired or moved it.
  return isKept || queue?.honorsRetryAfter === false ? { until, isKept } : null;
}
