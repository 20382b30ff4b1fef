import type { Clock } from '#domain/clock';
import { type AcceptedJob, acceptJobs, type NewJob } from './accept-jobs.ts';
import {
  type Claim,
  claimInTransaction,
  type ClaimRoom,
  type KnownPlans,
  type QueueSeats,
} from './claim-jobs.ts';
import { claimAtOnce } from './claim-jobs-at-once.ts';
import { type Claimant, type ClaimedJob, SecretReader } from './claims.ts';
import type { Database } from './database.ts';
import { GroupCommit, type OnBatch } from './group-commit.ts';
import {
  deleteFailedJobs,
  deletePendingJobs,
  fireJobs,
  retryFailedJobs,
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
import { NodeGroups } from './node-groups.ts';
import type { Sealer } from './seal.ts';
import { releaseJobs, settleJobs } from './settle-jobs.ts';
import type { JobSettlement } from './settlement.ts';
import type { Signal, SignalBus } from './signals.ts';
import { scanWaitingQueues, type WaitingQueue } from './waiting.ts';

const MAX_ACCEPT_BATCH = 200;

/** Jobs and their attempts. Every method is one transaction; what it wakes is told after the commit. */
export class JobStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #secrets: SecretReader;
  readonly #clock: Clock;
  readonly #signals: SignalBus;
  readonly #accepting: GroupCommit<NewJob, AcceptedJob | Error>;
  readonly #knownPlans: KnownPlans = new Set();
  #onBatch: OnBatch = () => {};
  readonly #settling = new NodeGroups<JobSettlement, boolean>((nodeId, settlements) =>
    this.#settle(nodeId, settlements),
  );

  constructor(db: Database, sealer: Sealer, clock: Clock, signals: SignalBus) {
    this.#db = db;
    this.#sealer = sealer;
    this.#secrets = new SecretReader(sealer);
    this.#clock = clock;
    this.#signals = signals;
    this.#accepting = new GroupCommit((jobs) => this.#accept(jobs), {
      maxBatch: MAX_ACCEPT_BATCH,
      lanes: db.dialect === 'postgres' ? 2 : 1,
    });
  }

  /** Tells how many jobs share a commit. One listener. */
  watchBatches(onBatch: OnBatch): void {
    this.#onBatch = onBatch;
  }

  /** Accepts a job (§2.2); durable when it resolves. */
  async accept(job: NewJob): Promise<AcceptedJob> {
    const accepted = await this.#accepting.add(job);
    if (accepted instanceof Error) throw accepted;
    return accepted;
  }

  /** Claims due jobs for a node (see `claimInTransaction`), on Postgres with one statement where that can be. */
  async claimDue(asked: readonly QueueSeats[], claimant: Claimant): Promise<Claim> {
    const room: ClaimRoom = { db: this.#db, sealer: this.#sealer, secrets: this.#secrets };
    const plans = this.#knownPlans;
    if (this.#db.dialect === 'sqlite') return claimInTransaction(room, asked, claimant, plans);
    const { limited, ...atOnce } = await claimAtOnce(room, asked, claimant, plans);
    if (limited.length === 0) return atOnce;
    const rest = await claimInTransaction(room, limited, claimant, plans);
    return {
      claimed: [...atOnce.claimed, ...rest.claimed],
      blocked: atOnce.blocked + rest.blocked,
      queues: [...atOnce.queues, ...rest.queues],
    };
  }

  /** Ends an attempt; false where the claim was gone and nothing was changed. */
  async settle(nodeId: string, settlement: JobSettlement): Promise<boolean> {
    return this.#settling.add(nodeId, settlement);
  }

  /** Puts back what was claimed but never started (D27). */
  async release(nodeId: string, jobs: readonly ClaimedJob[]): Promise<void> {
    await releaseJobs(this.#db, nodeId, jobs);
    for (const [teamId, ofTeam] of Map.groupBy(jobs, (job) => job.teamId))
      this.#tellDue(teamId, ofTeam);
  }

  async scanWaiting(): Promise<WaitingQueue[]> {
    return scanWaitingQueues(this.#db);
  }

  async fire(teamId: string, jobIds: readonly string[]): Promise<Touched[]> {
    const now = this.#clock.now();
    const fired = await fireJobs(this.#db, teamId, jobIds, now);
    this.#tellDue(teamId, fired);
    return fired;
  }

  async retryFailed(
    teamId: string,
    jobIds: readonly string[],
  ): Promise<(Touched & { failedId: string })[]> {
    const now = this.#clock.now();
    const retried = await retryFailedJobs(this.#db, teamId, jobIds, now);
    this.#tellDue(teamId, retried);
    return retried;
  }

  async deletePending(teamId: string, jobIds: readonly string[]): Promise<string[]> {
    return deletePendingJobs(this.#db, teamId, jobIds);
  }

  async deleteFailed(teamId: string, jobIds: readonly string[]): Promise<string[]> {
    return deleteFailedJobs(this.#db, teamId, jobIds);
  }

  async list(teamId: string, filter: JobFilter): Promise<JobRecord[]> {
    return listJobs(this.#db, teamId, filter);
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
    const room = { db: this.#db, sealer: this.#sealer };
    const accepted = await acceptJobs(room, jobs, this.#clock.now());
    const signals = accepted.flatMap((each, n): Signal[] => {
      if (each instanceof Error) return [];
      const { queueId, scheduledAt } = each;
      return [{ kind: 'jobs', queueId, teamId: jobs[n]?.teamId ?? '', dueAt: scheduledAt }];
    });
    this.#signals.send(signals);
    return accepted;
  }

  async #settle(nodeId: string, settlements: readonly JobSettlement[]): Promise<boolean[]> {
    this.#onBatch('settle', settlements.length);
    const ours = await settleJobs(this.#db, nodeId, settlements);
    const kept = settlements.filter(({ job }) => ours.has(job.id));
    this.#signals.send(kept.flatMap(signalsOf));
    return settlements.map(({ job }) => ours.has(job.id));
  }

  /** Each with the time since which it is due, not of now: a claim that skipped it looks for nothing earlier. */
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

function signalsOf({ job, next, callback, alert }: JobSettlement): Signal[] {
  const { queueId, teamId } = job;
  const signals: Signal[] = [];
  if (next) signals.push({ kind: 'jobs', queueId, teamId, dueAt: next.scheduledAt });
  // There is room for the next one, which was due no earlier.
  if (job.hasConcurrencyLimit) signals.push({ kind: 'jobs', queueId, teamId, dueAt: job.dueAt });
  if (callback) signals.push({ kind: 'callbacks', teamId });
  if (alert) signals.push({ kind: 'notices' });
  return signals;
}
