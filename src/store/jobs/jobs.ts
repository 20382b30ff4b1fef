import { type AcceptedJob, acceptJobs, type NewJob } from './accept-jobs.ts';
import { bind, type Context } from '../database/context.ts';
import { GroupCommit } from '../database/group-commit.ts';
import { wasLockedOut } from '../database/errors.ts';
import { jobActions } from './job-actions.ts';
import {
  findJob,
  findRetryOf,
  findTeamOfJob,
  listAttempts,
  listJobs,
  measureWaitingPayloads,
  readBodies,
  readSmallPayloads,
  readTraces,
} from './job-records.ts';
import { PayloadBound } from './payload-bound.ts';
import { countResent, listResends } from './resent.ts';
import type { Signal } from '../database/signals.ts';

const MAX_ACCEPT_BATCH = 200;
/** While its team is locked. */
const ACCEPT_WITHIN_MS = 5_000;

export function jobs(context: Context) {
  const { main: db, searches, sealer } = context;
  return {
    ...acceptance(context),
    ...bind(context, jobActions),
    ...bind({ db, sealer }, { find: findJob }),
    ...bind(searches, { list: listJobs, listResends, readSmallPayloads }),
    ...bind(db, {
      countResent,
      findRetryOf,
      findTeam: findTeamOfJob,
      listAttempts,
      readBodies,
      readTraces,
    }),
  };
}

function acceptance(context: Context) {
  const { main: db, searches, sealer, clock, signals, bounds, onBatch } = context;
  const accept = async (some: readonly NewJob[]) => {
    onBatch('accept', some.length);
    const accepted = await acceptJobs({ db, sealer, mostQueues: bounds.queues }, some, clock.now());
    signals.send(signalsOf(some, accepted));
    return accepted;
  };
  const { writers } = db.dialect;
  const accepting = new GroupCommit(accept, { maxBatch: MAX_ACCEPT_BATCH, writers });
  const payloads = new PayloadBound({
    most: bounds.waitingPayloadBytes,
    measure: (teamId) => measureWaitingPayloads(searches, teamId),
    clock,
  });
  const acceptSoon = async (job: NewJob) => {
    const giveUpAtMs = clock.monotonicMs() + ACCEPT_WITHIN_MS;
    for (;;) {
      try {
        return await accepting.add(job);
      } catch (error) {
        if (!wasLockedOut(error) || clock.monotonicMs() >= giveUpAtMs) throw error;
      }
    }
  };
  return {
    /**
     * Durable when it resolves (§2.2).
     * @throws TeamFull
     */
    async accept(job: NewJob): Promise<AcceptedJob> {
      const bytes = job.payload === null ? 0 : Buffer.byteLength(job.payload);
      return payloads.within(job.teamId, bytes, () => acceptSoon(job));
    },
  };
}

function signalsOf(jobs: readonly NewJob[], accepted: readonly (AcceptedJob | Error)[]): Signal[] {
  return accepted.flatMap((each, n): Signal[] => {
    if (each instanceof Error) return [];
    const { queueId, scheduledAt } = each;
    return [{ kind: 'jobs', queueId, teamId: jobs[n]?.teamId ?? '', dueAt: scheduledAt }];
  });
}
