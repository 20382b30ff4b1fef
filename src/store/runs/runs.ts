import type { Clock } from '#domain/clock';
import { joinClaims } from './claim.ts';
import { claimExecutions, findHeldTeams } from './claim-executions.ts';
import {
  type Claim,
  type Claimant,
  type ClaimedExecution,
  type ClaimContext,
  type FlowSlots,
  SecretReader,
} from './claims.ts';
import type { Database } from '../database/database.ts';
import type { ClaimJobs } from './due-jobs.ts';
import type { ItemOwner, OnBatch } from '../database/group-commit.ts';
import { HeldFlows } from './held-rows.ts';
import { Medians } from '../figures/medians.ts';
import { NodeGroups } from './node-groups.ts';
import { jobClaims as onPostgres } from '../postgres/claim-jobs.ts';
import { ofEachTable, type RunTable } from './run-tables.ts';
import type { Sealer } from '../database/seal.ts';
import { isQuiet, settleRuns } from './settle-runs.ts';
import type { Settlement } from './settlement.ts';
import type { Signal, SignalBus } from '../database/signals.ts';
import { jobClaims as onSqlite } from '../sqlite/claim-jobs.ts';
import { StartingPoints } from './starting-points.ts';
import { scanWaitingQueues, scanWaitingTeams, type WaitingFlow } from './waiting.ts';

const JOB_CLAIMS = { postgres: onPostgres, sqlite: onSqlite };

/** Attempts of jobs and executions of crons, from their due time to their stored outcome. */
export class RunStore {
  /** Claims due jobs of queues for a node. */
  readonly claimJobs: ClaimJobs;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #signals: SignalBus;
  readonly #context: ClaimContext;
  readonly #medians: Medians;
  readonly #heldTeams: HeldFlows<FlowSlots>;
  readonly #points: Readonly<Record<RunTable, StartingPoints>>;
  /** Jobs that raise an alert or may be slow take several statements, so they form batches of their own. */
  readonly #settling = {
    jobs: this.#groupsOf('jobs'),
    alertingJobs: this.#groupsOf('jobs'),
    executions: this.#groupsOf('executions'),
  };
  #onBatch: OnBatch = () => {};

  constructor(db: Database, sealer: Sealer, clock: Clock, signals: SignalBus) {
    this.#db = db;
    this.#clock = clock;
    this.#signals = signals;
    this.#medians = new Medians(db);
    this.#context = { db, sealer, secrets: new SecretReader(sealer) };
    this.claimJobs = JOB_CLAIMS[db.dialect.name](this.#context);
    this.#heldTeams = new HeldFlows(db, findHeldTeams, ({ id }) => ({ id, teamId: id }));
    this.#points = ofEachTable(() => new StartingPoints(clock));
  }

  /** Registers a listener for the number of runs that share a commit. One listener. */
  watchBatches(onBatch: OnBatch): void {
    this.#onBatch = onBatch;
  }

  /** Starts due runs of teams' crons for a node. */
  async claimExecutions(
    asked: readonly FlowSlots[],
    claimant: Claimant,
  ): Promise<Claim<ClaimedExecution>> {
    const claim = (free: readonly FlowSlots[]) => claimExecutions(this.#context, free, claimant);
    if (!this.#db.dialect.isShared) return claim(asked);
    const { now } = claimant;
    const { claims, held } = await this.#heldTeams.claimBeside(asked, now, claim);
    return joinClaims(
      claims,
      held.map(({ id, slots }) => ({ id, slots, from: now })),
    );
  }

  /** Ends a run. False if the claim was lost and nothing was changed. */
  settle(nodeId: string, settlement: Settlement): Promise<boolean> {
    return this.#groupFor(settlement).add(nodeId, settlement);
  }

  /** Like `settle`, without a promise. */
  putEnd(nodeId: string, settlement: Settlement, owner: ItemOwner<boolean>): void {
    this.#groupFor(settlement).put(nodeId, settlement, owner);
  }

  #groupFor(settlement: Settlement): NodeGroups<Settlement, boolean> {
    const { jobs, alertingJobs, executions } = this.#settling;
    const { run } = settlement;
    if (run.kind === 'execution') return executions;
    return isQuiet(settlement) && run.slowRule === null ? jobs : alertingJobs;
  }

  /** The queues with waiting jobs, each with its earliest due time. */
  async scanQueues(): Promise<WaitingFlow[]> {
    return scanWaitingQueues(this.#db, this.#points.jobs, this.#clock.now());
  }

  /** The teams with a cron to run or a waiting Run now, each with the earliest due time. */
  async scanTeams(): Promise<WaitingFlow[]> {
    return scanWaitingTeams(this.#db, this.#points.executions, this.#clock.now());
  }

  /** Notes a waiting job that a signal has reported. */
  hearOf(queueId: string, dueAt: number): void {
    this.#points.jobs.hear(queueId, dueAt);
  }

  /** Notes that signals may have been lost: the next scans read everything. */
  missedSignals(): void {
    for (const points of Object.values(this.#points)) points.distrust();
  }

  /** The earliest possible due time of a waiting job of a queue, as far as `scanQueues` has seen; 0 if unknown. */
  waitingSince(queueId: string): number {
    return this.#points.jobs.of(queueId);
  }

  #groupsOf(table: RunTable): NodeGroups<Settlement, boolean> {
    return new NodeGroups(
      ({ run }) => run.teamId,
      (nodeId, settlements) => this.#settle(table, nodeId, settlements),
    );
  }

  async #settle(
    table: RunTable,
    nodeId: string,
    settlements: readonly Settlement[],
  ): Promise<boolean[]> {
    this.#onBatch('settle', settlements.length);
    const tools = { db: this.#db, medians: this.#medians };
    const { isOurs, hasRaised } = await settleRuns(tools, table, nodeId, settlements);
    // Signals of all settlements: one that is no longer ours may have been written by an earlier try whose answer was
    // lost.
    const signals = settlements.flatMap(signalsOf);
    this.#signals.send(hasRaised ? [...signals, { kind: 'notices' }] : signals);
    return settlements.map(({ run }) => isOurs(run));
  }
}

function signalsOf({ run, next, callback, alert }: Settlement): Signal[] {
  const { teamId } = run;
  const signals: Signal[] = [];
  if (run.kind === 'job') {
    const { queueId, dueAt } = run;
    if (next) signals.push({ kind: 'jobs', queueId, teamId, dueAt: next.scheduledAt });
    // A slot of the queue is free for its next job, which was due no earlier.
    if (run.hasConcurrencyLimit) signals.push({ kind: 'jobs', queueId, teamId, dueAt });
  }
  if (callback) signals.push({ kind: 'callbacks', teamId });
  if (alert) signals.push({ kind: 'notices' });
  return signals;
}
