import type { Clock } from '#domain/clock';
import {
  claimDueExecutions,
  type ExecutionsClaim,
  findHeldTeams,
  type NextRunAt,
  type TeamSeats,
} from './claim-executions.ts';
import { type Claimant, SecretReader } from './claims.ts';
import type { Database } from './database.ts';
import type { OnBatch } from './group-commit.ts';
import { HeldLanes } from './held-rows.ts';
import { HeldTeams } from './held-teams.ts';
import { StartingPoints } from './starting-points.ts';
import { NodeGroups } from './node-groups.ts';
import type { Sealer } from './seal.ts';
import { type ExecutionSettlement, settleExecutions } from './settle-executions.ts';
import type { SignalBus } from './signals.ts';
import { scanWaitingTeams } from './waiting.ts';

/** What the engine does with crons' runs. */
export class ExecutionStore {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #secrets: SecretReader;
  readonly #signals: SignalBus;
  readonly #held: HeldLanes<TeamSeats>;
  readonly #clock: Clock;
  readonly #points: StartingPoints;
  #onBatch: OnBatch = () => {};
  readonly #heldTeams = new HeldTeams<ExecutionSettlement>(({ execution }) => execution.teamId);
  readonly #settling = new NodeGroups<ExecutionSettlement, boolean | Error>((nodeId, settlements) =>
    this.#heldTeams.write(settlements, (each) => this.#settle(nodeId, each)),
  );

  constructor(db: Database, sealer: Sealer, clock: Clock, signals: SignalBus) {
    this.#db = db;
    this.#sealer = sealer;
    this.#secrets = new SecretReader(sealer);
    this.#signals = signals;
    this.#clock = clock;
    this.#points = new StartingPoints(clock);
    this.#held = new HeldLanes(db, findHeldTeams, ({ teamId }) => ({ id: teamId, teamId }));
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
    const claim = (free: readonly TeamSeats[]) =>
      claimDueExecutions(room, free, claimant, nextRunAt);
    if (!this.#db.dialect.isShared) return claim(asked);
    const { claims, held } = await this.#held.claimBeside(asked, claimant.now, claim);
    const heldTeams = held.map(({ teamId }) => {
      return { teamId, nextDueAt: claimant.now, holds: 'held' as const };
    });
    return {
      claimed: claims.flatMap(({ claimed }) => claimed),
      blocked: claims.reduce((sum, { blocked }) => sum + blocked, 0),
      teams: [...claims.flatMap(({ teams }) => teams), ...heldTeams],
    };
  }

  /** Ends an execution; false where the claim was gone and nothing was changed. */
  async settle(nodeId: string, settlement: ExecutionSettlement): Promise<boolean> {
    const isOurs = await this.#settling.add(nodeId, settlement);
    if (isOurs instanceof Error) throw isOurs;
    return isOurs;
  }

  async scanWaiting(): Promise<{ teamId: string; nextDueAt: number }[]> {
    return scanWaitingTeams(this.#db, this.#points, this.#clock.now());
  }

  /** Signals may have been lost: the next `scanWaiting` goes through everything. */
  missedSignals(): void {
    this.#points.distrust();
  }

  async #settle(nodeId: string, settlements: readonly ExecutionSettlement[]): Promise<boolean[]> {
    this.#onBatch('settle', settlements.length);
    const { ours, hasRaised } = await settleExecutions(this.#db, nodeId, settlements);
    if (hasRaised) this.#signals.send([{ kind: 'notices' }]);
    // Of all: what is not ours any more may have been written by an earlier try whose answer was lost.
    this.#signals.send(
      settlements
        .filter(({ callback }) => callback !== null)
        .map(({ execution }) => ({ kind: 'callbacks', teamId: execution.teamId })),
    );
    return settlements.map(({ execution }) => ours.has(execution.id));
  }
}
