import type { Clock } from '#domain/clock';
import type { Sender } from '#domain/exchange';
import type { Log } from '#domain/log';
import type { ClaimedCallback } from '#store/callbacks';
import type { ClaimedExecution, ClaimedJob } from '#store/claims';
import type { Store } from '#store/store';
import type { Agenda, Lane } from './agenda.ts';
import { attemptExecution, attemptJob } from './attempt.ts';
import { sendCallback } from './callback.ts';
import type { EngineObserver } from './observer.ts';
import { keepTrying } from './settling.ts';

export interface RunsOptions {
  store: Store;
  sender: Sender;
  log: Log;
  observer: EngineObserver;
  agenda: Agenda;
  /** Ids of runs that are claimed and not yet settled; kept up here. */
  underWay: Set<string>;
  /** Whether this node's lease surely holds. */
  isHeld: () => boolean;
  /** Called whenever a seat has become free, and when an outcome is stored. */
  onMoreRoom: () => void;
}

/**
 * What is under way in this process. Every run goes its own way from its claim to its stored outcome, and frees
 * its seat when its answer is in.
 */
export class Runs {
  readonly #options: RunsOptions;
  readonly #clock: Clock;
  readonly #inFlightByTeam = new Map<string, number>();
  #inFlight = 0;
  #unsettled = 0;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#clock = options.store.clock;
  }

  /** Requests that hold a seat. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Runs whose outcome is not in the store yet, those in flight among them. */
  get unsettled(): number {
    return this.#unsettled;
  }

  get inFlightByTeam(): ReadonlyMap<string, number> {
    return this.#inFlightByTeam;
  }

  startJob(job: ClaimedJob, nodeId: string, lane: Lane): void {
    const { observer, sender, store, agenda } = this.#options;
    observer.runStarted('job', job.startedAt - job.dueAt);
    void this.#occupy(lane, job.id, async (free) => {
      const readPolicy = () => store.queues.find(job.teamId, job.queueId);
      const settlement = await attemptJob(job, sender, this.#clock, readPolicy);
      free();
      const { reason, durationMs } = settlement.end;
      const isOurs = await keepTrying(this.#tools(), settlement, (each) =>
        store.jobs.settle(nodeId, each),
      );
      agenda.settle(lane, this.#clock.now());
      this.#logSettled({ jobId: job.id, attempt: job.attemptNumber }, settlement, isOurs);
      if (isOurs)
        observer.runEnded({ kind: 'job', outcome: settlement.status, reason, durationMs });
    });
  }

  startExecution(execution: ClaimedExecution, nodeId: string, lane: Lane): void {
    const { observer, sender, store } = this.#options;
    observer.runStarted('execution', execution.startedAt - execution.dueAt);
    void this.#occupy(lane, execution.id, async (free) => {
      const settlement = await attemptExecution(execution, sender, this.#clock);
      free();
      const { reason, durationMs } = settlement.end;
      const isOurs = await keepTrying(this.#tools(), settlement, (each) =>
        store.executions.settle(nodeId, each),
      );
      const ids = { executionId: execution.id, cronId: execution.cronId };
      this.#logSettled(ids, settlement, isOurs);
      const outcome = settlement.status;
      if (isOurs) observer.runEnded({ kind: 'execution', outcome, reason, durationMs });
    });
  }

  startCallback(callback: ClaimedCallback, lane: Lane): void {
    const { observer, sender } = this.#options;
    void this.#occupy(lane, callback.id, async (free) => {
      await sendCallback(callback, sender, this.#clock);
      free();
      observer.callbackSent();
    });
  }

  #tools() {
    const { log, isHeld } = this.#options;
    return { clock: this.#clock, log, isHeld };
  }

  #logSettled(
    ids: object,
    { status, end }: { status: string; end: { reason: string | null; durationMs: number } },
    isOurs: boolean,
  ): void {
    const fields = { ...ids, status, reason: end.reason, durationMs: end.durationMs };
    if (!isOurs) this.#options.log.warn('attempt.too-late', fields);
    else if (status === 'success') this.#options.log.debug('attempt.settled', fields);
    else this.#options.log.info('attempt.settled', fields);
  }

  /** Holds a seat for one request; `free` gives it up once the answer is in, before its outcome is stored. */
  async #occupy(lane: Lane, id: string, work: (free: () => void) => Promise<void>): Promise<void> {
    const { underWay, log, onMoreRoom } = this.#options;
    underWay.add(id);
    this.#inFlight++;
    this.#unsettled++;
    lane.inFlight++;
    this.#inFlightByTeam.set(lane.teamId, (this.#inFlightByTeam.get(lane.teamId) ?? 0) + 1);
    let holdsSeat = true;
    const free = () => {
      if (!holdsSeat) return;
      holdsSeat = false;
      this.#leaveSeat(lane);
    };
    try {
      await work(free);
      // After a fault it stays: it was sent, and must never be taken for one that was not.
      underWay.delete(id);
    } catch (error) {
      log.error('engine.run-failed', { error });
    } finally {
      free();
      this.#unsettled--;
      onMoreRoom();
    }
  }

  #leaveSeat(lane: Lane): void {
    this.#inFlight--;
    this.#options.agenda.leave(lane);
    const left = (this.#inFlightByTeam.get(lane.teamId) ?? 1) - 1;
    if (left === 0) this.#inFlightByTeam.delete(lane.teamId);
    else this.#inFlightByTeam.set(lane.teamId, left);
    this.#options.onMoreRoom();
  }
}
