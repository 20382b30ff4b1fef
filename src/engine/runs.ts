import type { Clock } from '#domain/clock';
import type { Sender } from '#domain/exchange';
import type { FailureReason } from '#domain/failure';
import type { Log } from '#domain/log';
import type { ClaimedCallback } from '#store/callbacks/callbacks';
import type { ClaimedExecution, ClaimedJob } from '#store/runs/claims';
import type { QueuePolicy } from '#store/queues/queues';
import type { Store } from '#store/store';
import type { FlowScheduler, Flow } from './flow-scheduler.ts';
import { type Answer, attempt, NEVER_RETRIED, type SendingTools, settlementOf } from './attempt.ts';
import { sendCallback } from './callback.ts';
import type { EngineObserver, RunOutcome } from './observer.ts';
import { untilStored } from './settling.ts';

type Run = ClaimedJob | ClaimedExecution;

export interface RunsOptions {
  store: Store;
  sender: Sender;
  log: Log;
  observer: EngineObserver;
  /** The scheduler of the flow's kind. */
  schedulerOf: (flow: Flow) => FlowScheduler;
  /** Ids of runs and callbacks that are claimed and whose end is not stored yet. This class keeps it up to date. */
  underWay: Set<string>;
  /** Called when an outcome is stored. */
  onEnd: () => void;
  /** Called whenever a slot becomes free and when an outcome is stored. */
  onMoreRoom: () => void;
  /** How many bytes of a response's body are stored. */
  responseKeepBytes: number;
}

/** What was stored as a run's end. `isOurs` is false if somebody else had already ended it. */
interface Stored {
  isOurs: boolean;
  outcome: RunOutcome;
  reason: FailureReason | null;
  durationMs: number;
}

/** With so many bytes of responses that wait to be stored, the engine claims nothing more. */
const MOST_WAITING_BYTES = 32 * 2 ** 20;
/** Beyond this, responses of runs that end are not stored, so that an outage of the database cannot use up the memory. */
const MOST_KEPT_BYTES = 128 * 2 ** 20;

/**
 * The runs and callbacks under way in this process. Each proceeds on its own from its claim to its stored outcome,
 * and frees its slot when its response has arrived. Each ends with a settlement, however long the database is down.
 * Meanwhile the engine claims no more, so at most three times `maxConcurrentRequests` wait here.
 */
export class Runs {
  readonly #options: RunsOptions;
  readonly #clock: Clock;
  readonly #tools: { clock: Clock; log: Log };
  readonly #sendingTools: SendingTools;
  readonly #inFlightByTeam = new Map<string, number>();
  #inFlight = 0;
  #unsettled = 0;
  /** The bytes of responses that wait to be stored. */
  #waitingBytes = 0;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#clock = options.store.clock;
    const { log, sender, responseKeepBytes } = options;
    this.#tools = { clock: this.#clock, log };
    this.#sendingTools = { sender, clock: this.#clock, responseKeepBytes };
  }

  /** How many requests hold a slot. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many runs have no stored outcome yet, including those in flight. */
  get unsettled(): number {
    return this.#unsettled;
  }

  /** Whether the responses that wait to be stored leave room for those of further runs. */
  get hasRoomForResponses(): boolean {
    return this.#waitingBytes < MOST_WAITING_BYTES;
  }

  get inFlightByTeam(): ReadonlyMap<string, number> {
    return this.#inFlightByTeam;
  }

  start(run: Run, nodeId: string, flow: Flow): void {
    this.#options.observer.runStarted(run.kind, run.startedAt - run.dueAt);
    this.#occupy(flow, run.id);
    const ended = (answer: Answer | null) => {
      this.#releaseSlot(flow);
      this.#keep(run, nodeId, flow, answer);
    };
    void this.#send(() => attempt(run, this.#sendingTools)).then(ended);
  }

  startCallback(callback: ClaimedCallback, nodeId: string, flow: Flow): void {
    const { observer, sender, store, log } = this.#options;
    const { id, runId, teamId, unreadable } = callback;
    this.#occupy(flow, id);
    const stored = () => {
      this.#settle(id);
      if (unreadable === null) observer.callbackSent();
    };
    const ended = () => {
      this.#releaseSlot(flow);
      const end = () => store.callbacks.end(nodeId, callback);
      void untilStored(this.#tools, [end]).then(stored);
    };
    if (unreadable === null) {
      void this.#send(() => sendCallback(callback, sender, this.#clock)).then(ended);
    } else {
      log.error('callback.given-up', { callbackId: id, runId, teamId, error: unreadable });
      ended();
    }
  }

  /** Null after a defect of ours. Whether anything was sent is then unknown. */
  #send<T>(send: () => Promise<T>): Promise<T | null> {
    const failed = (error: unknown) => {
      this.#options.log.error('engine.run-failed', { error });
      return null;
    };
    try {
      return send().catch(failed);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  }

  /** Stores the end of a run whose request has ended. */
  #keep(run: Run, nodeId: string, flow: Flow, answer: Answer | null): void {
    const kept = this.#waitingBytes < MOST_KEPT_BYTES ? answer : withoutResponse(answer);
    const bytes = kept?.response ? kept.response.body.length + kept.response.trace.length : 0;
    this.#waitingBytes += bytes;
    const stored = (end: Stored) => {
      this.#waitingBytes -= bytes;
      this.#options.schedulerOf(flow).settle(flow, this.#clock.now());
      this.#settle(run.id);
      this.#options.onEnd();
      this.#tellEnd(run, end);
    };
    void this.#store(run, nodeId, kept).then(stored);
  }

  /** Stores a run's end: as it is; if refused, without its response; if refused again, as a worker failure (§3.6). */
  #store(run: Run, nodeId: string, answer: Answer | null): Promise<Stored> {
    const { runs, nodes } = this.#options.store;
    const abandon = async (): Promise<Stored> => ({
      isOurs: await nodes.abandon(nodeId, run, this.#clock.now()),
      outcome: run.kind === 'job' ? 'dead_lettered' : 'failed',
      reason: 'worker_failed',
      durationMs: 0,
    });
    if (answer === null) return untilStored(this.#tools, [abandon]);
    const { reason, durationMs } = answer.end;
    let tries = 0;
    const writeAs = async (kept: Answer): Promise<Stored> => {
      const mayBeStored = tries++ > 0;
      const policy = needsPolicy(run, kept) ? await this.#readPolicy(run) : NEVER_RETRIED;
      const settlement = settlementOf(run, kept, policy);
      const isOurs = await runs.settle(nodeId, settlement);
      const isStored = isOurs || (mayBeStored && (await this.#isStored(run, answer)));
      return { isOurs: isStored, outcome: settlement.status, reason, durationMs };
    };
    return untilStored(this.#tools, [
      () => writeAs(answer),
      () => writeAs({ ...answer, response: null }),
      abandon,
    ]);
  }

  /** The queue's rules for failures, as they are now. */
  async #readPolicy(run: ClaimedJob): Promise<QueuePolicy> {
    const policy = await this.#options.store.queues.findPolicy(run.teamId, run.queueId);
    return policy ?? NEVER_RETRIED;
  }

  /** Whether an earlier try has stored this end and only its answer was lost. */
  async #isStored(run: Run, { end }: Answer): Promise<boolean> {
    const { jobs, crons } = this.#options.store;
    const find = () =>
      run.kind === 'job' ? jobs.find(run.teamId, run.id) : crons.findExecution(run.teamId, run.id);
    const kept = await find();
    return kept?.completedAt === end.completedAt && kept.reason === end.reason;
  }

  #tellEnd(run: Run, { isOurs, ...end }: Stored): void {
    const { log, observer } = this.#options;
    const { outcome: status, reason, durationMs } = end;
    const fields = { ...idsOf(run), status, reason, durationMs };
    if (!isOurs) return log.warn('attempt.too-late', fields);
    if (status === 'success') log.debug('attempt.settled', fields);
    else log.info('attempt.settled', fields);
    observer.runEnded({ kind: run.kind, ...end });
  }

  /** Takes a slot for one request. */
  #occupy(flow: Flow, id: string): void {
    this.#options.underWay.add(id);
    this.#inFlight++;
    this.#unsettled++;
    flow.inFlight++;
    this.#inFlightByTeam.set(flow.teamId, (this.#inFlightByTeam.get(flow.teamId) ?? 0) + 1);
  }

  /** Notes that the end of a run or callback is stored. */
  #settle(id: string): void {
    this.#options.underWay.delete(id);
    this.#unsettled--;
    this.#options.onMoreRoom();
  }

  #releaseSlot(flow: Flow): void {
    this.#inFlight--;
    this.#options.schedulerOf(flow).leave(flow);
    const left = (this.#inFlightByTeam.get(flow.teamId) ?? 1) - 1;
    if (left === 0) this.#inFlightByTeam.delete(flow.teamId);
    else this.#inFlightByTeam.set(flow.teamId, left);
    this.#options.onMoreRoom();
  }
}

/** A success needs no rules, and crons have none. */
function needsPolicy(run: Run, { verdict }: Answer): run is ClaimedJob {
  return run.kind === 'job' && !verdict.ok;
}

function withoutResponse(answer: Answer | null): Answer | null {
  return answer && { ...answer, response: null };
}

function idsOf(run: Run) {
  if (run.kind === 'job') return { jobId: run.id, attempt: run.attemptNumber };
  return { executionId: run.id, cronId: run.cronId };
}
