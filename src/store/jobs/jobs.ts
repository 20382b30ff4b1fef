import type { Clock } from '#domain/clock';
import type { TeamBounds } from '#domain/team-bounds';
import { type AcceptedJob, acceptJobs, type NewJob } from './accept-jobs.ts';
import type { Database } from '../database/database.ts';
import { GroupCommit, type OnBatch } from '../database/group-commit.ts';
import { type Edited, editPendingJob, type JobChange } from './edit-job.ts';
import { isHeldUp } from '../runs/held-rows.ts';
import { HeldTeams } from '../runs/held-teams.ts';
import {
  deleteFailedJobs,
  deletePendingJobs,
  fireJobs,
  type ResendAgain,
  retryFailedJobs,
  type Spread,
  type Touched,
} from './job-actions.ts';
import {
  findJob,
  findRetryOf,
  findTeamOfJob,
  type JobDetail,
  type JobFilter,
  type JobRecord,
  listAttempts,
  listJobs,
  readBodies,
} from './job-records.ts';
import { measureWaitingPayloads } from './job-records.ts';
import { PayloadBound } from './payload-bound.ts';
import { countResent, listResends, type ResendSpan, type ResentCount } from './resent.ts';
import type { JobSearch } from '../lists/search.ts';
import type { Sealer } from '../database/seal.ts';
import type { Signal, SignalBus } from '../database/signals.ts';

interface JobTools {
  sealer: Sealer;
  clock: Clock;
  signals: SignalBus;
  bounds: TeamBounds;
}

const MAX_ACCEPT_BATCH = 200;
/** How long accepting a job is tried while its queue is locked by another transaction. */
const ACCEPT_WITHIN_MS = 5_000;

/** Jobs as people accept, read and change them. Every method is one transaction; signals are sent after the commit. */
export class JobStore {
  readonly #db: Database;
  readonly #searches: Database;
  readonly #sealer: Sealer;
  readonly #clock: Clock;
  readonly #signals: SignalBus;
  readonly #accepting: GroupCommit<NewJob, AcceptedJob | Error>;
  readonly #mostQueues: number;
  readonly #payloads: PayloadBound;
  #onBatch: OnBatch = () => {};
  /** @param searches  the database handle for lists */
  constructor(
    { db, searches }: { db: Database; searches: Database },
    { sealer, clock, signals, bounds }: JobTools,
  ) {
    this.#db = db;
    this.#searches = searches;
    this.#sealer = sealer;
    this.#clock = clock;
    this.#signals = signals;
    this.#mostQueues = bounds.queues;
    this.#payloads = new PayloadBound({
      most: bounds.waitingPayloadBytes,
      measure: (teamId) => measureWaitingPayloads(searches, teamId),
      clock,
    });
    const heldTeams = new HeldTeams<NewJob>(({ teamId }) => teamId);
    const accept = (jobs: readonly NewJob[]) => heldTeams.write(jobs, (each) => this.#accept(each));
    this.#accepting = new GroupCommit(accept, {
      maxBatch: MAX_ACCEPT_BATCH,
      writers: db.dialect.isShared ? 2 : 1,
    });
  }

  /** Registers a listener for the number of jobs that share a commit. One listener. */
  watchBatches(onBatch: OnBatch): void {
    this.#onBatch = onBatch;
  }

  /**
   * Accepts a job (§2.2); durable when it resolves.
   *
   * @throws TeamFull
   */
  async accept(job: NewJob): Promise<AcceptedJob> {
    const bytes = job.payload === null ? 0 : Buffer.byteLength(job.payload);
    return this.#payloads.within(job.teamId, bytes, () => this.#acceptSoon(job));
  }

  async #acceptSoon(job: NewJob): Promise<AcceptedJob> {
    const giveUpAtMs = this.#clock.monotonicMs() + ACCEPT_WITHIN_MS;
    for (;;) {
      const accepted = await this.#accepting.add(job);
      if (!(accepted instanceof Error)) return accepted;
      if (!isHeldUp(accepted) || this.#clock.monotonicMs() >= giveUpAtMs) throw accepted;
    }
  }

  async fire(teamId: string, jobIds: readonly string[]): Promise<Touched[]> {
    const now = this.#clock.now();
    const fired = await fireJobs(this.#db, teamId, jobIds, now);
    this.#tellDue(teamId, fired);
    return fired;
  }

  /** Changes a waiting job. */
  async edit(teamId: string, jobId: string, change: JobChange): Promise<Edited> {
    const room = { db: this.#db, sealer: this.#sealer };
    const edited = await editPendingJob(room, { teamId, jobId }, change);
    if (typeof edited === 'object') this.#tellDue(teamId, [edited]);
    return edited;
  }

  async retryFailed(
    teamId: string,
    jobIds: readonly string[],
    {
      again = false,
      ...how
    }: { again?: ResendAgain; found?: JobSearch | undefined; spread?: Spread | undefined } = {},
  ): Promise<(Touched & { failedId: string })[]> {
    const now = this.#clock.now();
    const retried = await retryFailedJobs(this.#db, teamId, jobIds, { now, again, ...how });
    this.#tellDue(teamId, retried);
    return retried;
  }

  /** Counts those of the failed jobs that were resent, by the present state of their new jobs. */
  async countResent(teamId: string, jobIds: readonly string[]): Promise<ResentCount> {
    return countResent(this.#db, teamId, jobIds);
  }

  async listResends(teamId: string, span: ResendSpan, limit: number): Promise<string[]> {
    return listResends(this.#searches, teamId, span, limit);
  }

  async deletePending(teamId: string, jobIds: readonly string[]): Promise<string[]> {
    return deletePendingJobs(this.#db, teamId, jobIds);
  }

  async deleteFailed(teamId: string, jobIds: readonly string[]): Promise<string[]> {
    return deleteFailedJobs(this.#db, teamId, jobIds);
  }

  async list(teamId: string, filter: JobFilter): Promise<JobRecord[]> {
    return listJobs(this.#searches, teamId, filter);
  }

  async find(teamId: string, jobId: string): Promise<JobDetail | null> {
    return findJob({ db: this.#db, sealer: this.#sealer }, teamId, jobId);
  }

  async findTeam(jobId: string): Promise<string | null> {
    return findTeamOfJob(this.#db, jobId);
  }

  async listAttempts(teamId: string, originalId: string): Promise<JobRecord[]> {
    return listAttempts(this.#db, teamId, originalId);
  }

  /** The failed job whose Retry made this one; null for none. */
  async findRetryOf(teamId: string, jobId: string): Promise<string | null> {
    return findRetryOf(this.#db, teamId, jobId);
  }

  /** Response bodies of jobs, by job; those without a response are left out. */
  async readBodies(teamId: string, jobIds: readonly string[]): Promise<Map<string, Uint8Array>> {
    return readBodies(this.#db, teamId, jobIds);
  }

  async #accept(jobs: readonly NewJob[]): Promise<(AcceptedJob | Error)[]> {
    this.#onBatch('accept', jobs.length);
    const room = { db: this.#db, sealer: this.#sealer, mostQueues: this.#mostQueues };
    const accepted = await acceptJobs(room, jobs, this.#clock.now());
    const signals = accepted.flatMap((each, n): Signal[] => {
      if (each instanceof Error) return [];
      const { queueId, scheduledAt } = each;
      return [{ kind: 'jobs', queueId, teamId: jobs[n]?.teamId ?? '', dueAt: scheduledAt }];
    });
    this.#signals.send(signals);
    return accepted;
  }

  /**
   * Sends signals with each job's own due time. With the present time, a claim that has passed over the job would not
   * look back at it.
   */
  #tellDue(teamId: string, touched: readonly Touched[]): void {
    const byQueue = Map.groupBy(touched, ({ queueId }) => queueId);
    this.#signals.send(
      [...byQueue].map(([queueId, jobs]) => {
        const dueAt = Math.min(...jobs.map((job) => job.dueAt));
        return { kind: 'jobs', queueId, teamId, dueAt };
      }),
    );
  }
}
