import type { CallbackToSend, ClaimedCallback } from './callbacks.ts';
import { isCallbackWaiting, takeCallbacks } from './callbacks.ts';
import {
  claimDueExecutions,
  type ExecutionsClaim,
  type NextRunAt,
  type TeamSeats,
} from './claim-executions.ts';
import { type Claimant, SecretReader } from './claims.ts';
import type { Database } from './database.ts';
import type { OnBatch } from './group-commit.ts';
import { NodeGroups } from './node-groups.ts';
import type { Sealer } from './seal.ts';
import { type ExecutionSettlement, settleExecutions } from './settle-executions.ts';
import type { SignalBus } from './signals.ts';
import { scanCallbackTeams, scanWaitingTeams } from './waiting.ts';

export type { CallbackToSend };

/** What the engine does with crons' runs, and the callbacks of runs of either kind. */
export class ExecutionStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #secrets: SecretReader;
  readonly #signals: SignalBus;
  #onBatch: OnBatch = () => {};
  readonly #settling = new NodeGroups<ExecutionSettlement, boolean>((nodeId, settlements) =>
    this.#settle(nodeId, settlements),
  );

  constructor(db: Database, sealer: Sealer, signals: SignalBus) {
    this.#db = db;
    this.#sealer = sealer;
    this.#secrets = new SecretReader(sealer);
    this.#signals = signals;
  }

  /** Tells how many executions share a commit. One listener. */
  watchBatches(onBatch: OnBatch): void {
    this.#onBatch = onBatch;
  }

  async claimDue(
    asked: readonly TeamSeats[],
    claimant: Claimant,
    nextRunAt: NextRunAt,
  ): Promise<ExecutionsClaim> {
    const room = { db: this.#db, sealer: this.#sealer, secrets: this.#secrets };
    return claimDueExecutions(room, asked, claimant, nextRunAt);
  }

  /** Ends an execution; false where the claim was gone and nothing was changed. */
  async settle(nodeId: string, settlement: ExecutionSettlement): Promise<boolean> {
    return this.#settling.add(nodeId, settlement);
  }

  async scanWaiting(): Promise<{ teamId: string; nextDueAt: number }[]> {
    return scanWaitingTeams(this.#db);
  }

  /** Takes callbacks for sending; each is given out once and never again (§6.1). */
  async takeCallbacks(teamId: string, seats: number): Promise<ClaimedCallback[]> {
    return takeCallbacks({ db: this.#db, secrets: this.#secrets }, teamId, seats);
  }

  /** Whether the callback of a run that ended then is still to be sent. */
  async isCallbackWaiting(teamId: string, runId: string, completedAt: number): Promise<boolean> {
    return isCallbackWaiting(this.#db, teamId, runId, completedAt);
  }

  /** The teams that have callbacks to send. */
  async scanCallbacks(): Promise<string[]> {
    return scanCallbackTeams(this.#db);
  }

  async #settle(nodeId: string, settlements: readonly ExecutionSettlement[]): Promise<boolean[]> {
    this.#onBatch('settle', settlements.length);
    const { ours, hasRaised } = await settleExecutions(this.#db, nodeId, settlements);
    if (hasRaised) this.#signals.send([{ kind: 'notices' }]);
    this.#signals.send(
      settlements
        .filter(({ execution, callback }) => callback !== null && ours.has(execution.id))
        .map(({ execution }) => ({ kind: 'callbacks', teamId: execution.teamId })),
    );
    return settlements.map(({ execution }) => ours.has(execution.id));
  }
}
