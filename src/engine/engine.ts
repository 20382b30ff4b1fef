import type { Clock } from '#domain/clock';
import type { Sender } from '#domain/exchange';
import type { Log } from '#domain/log';
import type { Signal } from '#store/database/signals';
import type {
  Claim,
  Claimant,
  ClaimedExecution,
  ClaimedJob,
  Holds,
  FlowSlots,
} from '#store/runs/claims';
import type { MonthlyLimits } from '#store/figures/usage';
import type { Store } from '#store/store';
import { FlowScheduler, type Flow } from './flow-scheduler.ts';
import { Lease } from './lease.ts';
import type { EngineObserver } from './observer.ts';
import { Runs } from './runs.ts';
import { AddingUp } from './adding-up.ts';
import { dealSlots } from './fair-slots.ts';
import { LostClaims } from './lost-claims.ts';

export interface EngineOptions {
  store: Store;
  sender: Sender;
  log: Log;
  observer: EngineObserver;
  maxConcurrentRequests: number;
  /** How many bytes of a response's body are stored. */
  responseKeepBytes: number;
  /** How long a lease lasts, in milliseconds. The default suits the database; tests that skip time set a long one. */
  leaseMs?: number;
  limits: MonthlyLimits;
}

/** How many flows one claim serves. */
const MAX_FLOWS = 64;
/** How often the whole schedule is read again. Signals are hints and may be lost. */
const RESCAN_EVERY_MS = 15_000;
/** How long to wait with a flow that is due but returned nothing, because another node holds its rows. */
const CONTENDED_PAUSE_MS = 5;
/** How long to wait with a flow at its queue's limit. The end of a run wakes it earlier, unless that news is lost. */
const AT_LIMIT_PAUSE_MS = 1_000;
/** When to retry a claim that skipped a row held by another transaction. */
const HELD_PAUSE_MS = 100;
/** How long what a high rate lets start is gathered for the next claim; it is made up for. */
const GATHERED_MS = 10;
const STORE_DOWN_PAUSE_MS = 500;
/** After this long without a successful scan, or with failing claims only, the engine counts as not working. */
const STUCK_MS = 60_000;

/**
 * The loop that runs everything: it finds what is due, claims it, sends it and stores the outcome.
 *
 * One loop claims. Every claimed run then proceeds on its own, and frees its slot when its response has arrived. The
 * engine holds nothing that the store does not know: the process may end at any instant.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #scheduler = new FlowScheduler();
  readonly #lease: Lease;
  readonly #lostClaims: LostClaims;
  readonly #runs: Runs;
  readonly #addingUp: AddingUp;
  #stopping = false;
  #looping = false;
  #wokenWhileLooping = false;
  #cancelSleep: (() => void) | null = null;
  #cancelRescan: (() => void) | null = null;
  #stopListening = () => {};
  #idle: (() => void) | null = null;
  /** When everything that waits was last read, by the monotonic clock. */
  #lookedAtMs = -Infinity;
  /** The times of the first and the last of consecutive failed claims, by kind of flow. A success removes the entry. */
  readonly #failedClaims = new Map<Flow['kind'], { firstMs: number; lastMs: number }>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.store.clock;
    this.#lostClaims = new LostClaims(options.store, options.log);
    this.#addingUp = new AddingUp(options.store, options.log);
    this.#lease = new Lease({ ...options, onMoreToDo: () => void this.#rescanAll() });
    this.#runs = new Runs({
      ...options,
      scheduler: this.#scheduler,
      underWay: this.#lostClaims.underWay,
      onEnd: () => this.#addingUp.expect(),
      onMoreRoom: () => {
        this.#tellIfIdle();
        this.#wake();
      },
    });
  }

  get inFlight(): number {
    return this.#runs.inFlight;
  }

  /** True while nothing is claimed, sent or settled and nothing is due. */
  isQuiet(): boolean {
    const isBusy = this.#looping || this.#runs.unsettled > 0;
    return !isBusy && this.#scheduler.nextDueAt() > this.#clock.now();
  }

  /**
   * False if all claims of some kind have failed for a minute, or nothing could be scanned for a minute: the database
   * is down, refuses, or does not answer. Only attempted claims count: while every slot is taken, nothing is claimed
   * and nothing is wrong.
   */
  isWorking(): boolean {
    const agoMs = (sinceMs: number) => this.#clock.monotonicMs() - sinceMs;
    const claimsFail = [...this.#failedClaims.values()].some(
      ({ firstMs, lastMs }) => lastMs - firstMs > STUCK_MS,
    );
    return !this.#stopping && !claimsFail && agoMs(this.#lookedAtMs) <= STUCK_MS;
  }

  async start(): Promise<void> {
    await this.#lease.start();
    this.#stopListening = this.#store.signals.listen((signal) => this.#hear(signal));
    await this.#rescan();
    this.#addingUp.expect();
  }

  /**
   * Claims nothing more and waits for the runs under way, for `graceMs` at most. Those that are left are settled as
   * cut off (§3.6).
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#stopListening();
    this.#cancelSleep?.();
    this.#cancelRescan?.();
    if (this.#runs.unsettled > 0 || this.#looping) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        this.#clock.after(graceMs, resolve);
      });
    }
    this.#lostClaims.tell(await this.#lease.stop(this.#lostClaims.underWay));
    await this.#addingUp.stop();
  }

  #hear(signal: Signal): void {
    switch (signal.kind) {
      case 'jobs':
        this.#store.runs.hearOf(signal.queueId, signal.dueAt);
        this.#expect('queue', signal.queueId, signal.teamId, signal.dueAt);
        break;
      case 'queue-changed':
        this.#lookAgain(signal.queueId, signal.teamId);
        break;
      case 'team-due':
        this.#expect('crons', signal.teamId, signal.teamId, signal.dueAt);
        break;
      case 'callbacks':
        this.#expect('callbacks', signal.teamId, signal.teamId, this.#clock.now());
        break;
      case 'notices':
        break;
      case 'unknown':
        void this.#rescanAll();
        break;
    }
  }

  /** Looks at a queue that was resumed or whose limit or rate was raised: everything that waits in it may start. */
  #lookAgain(queueId: string, teamId: string): void {
    const from = this.#store.runs.waitingSince(queueId);
    const key = { kind: 'queue', id: queueId, teamId } as const;
    this.#scheduler.expectChanged(key, this.#clock.now(), from);
    this.#wake();
  }

  #expect(kind: Flow['kind'], id: string, teamId: string, dueAt: number, from = dueAt): void {
    this.#scheduler.expect({ kind, id, teamId }, dueAt, from);
    this.#wake();
  }

  /**
   * Scans everything from the beginning. Rows that were put back or written late are announced only once, and the
   * announcement may have been lost, as when a node died.
   */
  async #rescanAll(): Promise<void> {
    this.#store.runs.missedSignals();
    await this.#rescan();
  }

  /** Reads the next due time of every queue and team, and repeats this after `RESCAN_EVERY_MS`. */
  async #rescan(): Promise<void> {
    this.#cancelRescan?.();
    try {
      for (const { id, teamId, nextDueAt } of await this.#store.runs.scanQueues()) {
        const latest = this.#clock.now() + RESCAN_EVERY_MS;
        this.#scheduler.expectFound({ kind: 'queue', id, teamId }, nextDueAt, latest);
      }
      for (const { id, teamId, nextDueAt } of await this.#store.runs.scanTeams()) {
        this.#scheduler.expect({ kind: 'crons', id, teamId }, nextDueAt);
      }
      for (const teamId of await this.#store.callbacks.scanWaiting()) {
        this.#scheduler.expect({ kind: 'callbacks', id: teamId, teamId }, this.#clock.now());
      }
      this.#lookedAtMs = this.#clock.monotonicMs();
    } catch (error) {
      this.#options.log.warn('engine.rescan-failed', { error: (error as Error).message });
    }
    if (this.#stopping) return;
    this.#cancelRescan?.();
    this.#cancelRescan = this.#clock.after(RESCAN_EVERY_MS, () => void this.#rescan());
    this.#wake();
  }

  #wake(): void {
    if (this.#stopping) return;
    if (this.#looping) {
      this.#wokenWhileLooping = true;
      return;
    }
    this.#looping = true;
    // Runs after the events at hand, so that signals that arrive together are served together.
    setImmediate(() => void this.#loop());
  }

  async #loop(): Promise<void> {
    this.#cancelSleep?.();
    do {
      this.#wokenWhileLooping = false;
      await this.#lostClaims.release(this.#lease.nodeId);
      while (this.#mayClaim()) await this.#claimOnce();
    } while (this.#wokenWhileLooping && this.#mayClaim());
    this.#looping = false;
    if (this.#stopping) this.#tellIfIdle();
    else this.#sleep();
  }

  /** False while no slot is free, nothing is due, or too many outcomes wait to be stored. */
  #mayClaim(): boolean {
    const { maxConcurrentRequests } = this.#options;
    return (
      !this.#stopping &&
      this.#runs.inFlight < maxConcurrentRequests &&
      this.#runs.unsettled < 2 * maxConcurrentRequests &&
      this.#scheduler.nextDueAt() <= this.#clock.now()
    );
  }

  /** Sleeps until something is due, or a claim in doubt is to be looked at. Freed slots and signals wake the loop by themselves. */
  #sleep(): void {
    const { maxConcurrentRequests } = this.#options;
    if (this.#runs.inFlight >= maxConcurrentRequests) return;
    const wake = () => this.#wake();
    const cancelDue = this.#clock.at(this.#scheduler.nextDueAt(), wake);
    const { idleForMs } = this.#lostClaims;
    const cancelLook = idleForMs < Infinity ? this.#clock.after(idleForMs, wake) : () => {};
    this.#cancelSleep = () => {
      cancelDue();
      cancelLook();
    };
  }

  async #claimOnce(): Promise<void> {
    const now = this.#clock.now();
    const flows = this.#scheduler.takeDue(now, MAX_FLOWS);
    const free = this.#options.maxConcurrentRequests - this.#runs.inFlight;
    const slots = dealSlots(flows, free, this.#runs.inFlightByTeam);
    const served = flows.flatMap((flow, n) => {
      const dealt = slots[n] ?? 0;
      return dealt > 0 ? [{ flow, slots: dealt }] : [];
    });
    // A flow without a slot is served next if the others leave any. If no flow may have one, some run must end first.
    const turnAgainAt = served.length > 0 ? now : now + CONTENDED_PAUSE_MS;
    for (const [n, flow] of flows.entries()) {
      if (slots[n] === 0) this.#scheduler.giveBack(flow, turnAgainAt, flow.from);
    }
    const { runs } = this.#store;
    const from = (kind: Flow['kind'], claim: (served: readonly Served[]) => Promise<void>) =>
      this.#claimFrom(
        kind,
        served.filter(({ flow }) => flow.kind === kind),
        now,
        claim,
      );
    await Promise.all([
      from('queue', (some) => this.#claimRuns(some, now, (...asked) => runs.claimJobs(...asked))),
      from('crons', (some) =>
        this.#claimRuns(some, now, (...asked) => runs.claimExecutions(...asked)),
      ),
      from('callbacks', (some) => this.#takeCallbacks(some)),
    ]);
  }

  async #claimFrom(
    kind: Flow['kind'],
    served: readonly Served[],
    now: number,
    claim: (served: readonly Served[]) => Promise<void>,
  ): Promise<void> {
    if (served.length === 0) return;
    try {
      await claim(served);
      this.#failedClaims.delete(kind);
    } catch (error) {
      const lastMs = this.#clock.monotonicMs();
      const firstMs = this.#failedClaims.get(kind)?.firstMs ?? lastMs;
      this.#failedClaims.set(kind, { firstMs, lastMs });
      this.#options.log.error('engine.claim-failed', { error: (error as Error).message });
      const queues = kind === 'queue' ? served : [];
      this.#lostClaims.expect({ queueIds: queues.map(({ flow }) => flow.id), since: now });
      const again = this.#clock.now() + STORE_DOWN_PAUSE_MS;
      for (const { flow } of served) {
        if (flow.newsAt !== null) this.#scheduler.giveBack(flow, again, flow.from);
      }
    }
  }

  async #claimRuns(
    served: readonly Served[],
    now: number,
    claim: (asked: FlowSlots[], claimant: Claimant) => Promise<Claim>,
  ): Promise<void> {
    const flowOf = new Map(served.map(({ flow }) => [flow.id, flow]));
    const settledBefore = new Map(served.map(({ flow }) => [flow.id, flow.settled]));
    const nodeId = this.#lease.nodeId;
    const { claimed, blocked, flows } = await claim(
      served.map(({ flow: { id, teamId, from }, slots }) => ({ id, teamId, slots, from })),
      { nodeId, now, limits: this.#options.limits },
    );
    this.#options.observer.claimed(claimed.length, blocked);
    const taken = new Set(claimed.map(flowIdOf));
    for (const run of await this.#mayStart(nodeId, claimed)) {
      const flow = flowOf.get(flowIdOf(run));
      if (flow) this.#runs.start(run, nodeId, flow);
    }
    for (const { id, nextDueAt, holds, notBefore } of flows) {
      const flow = flowOf.get(id);
      if (!flow) continue;
      flow.isAtLimit = holds === 'at-limit';
      // A run that ended during the claim may have made room that the claim did not see.
      const madeRoom = flow.isAtLimit && flow.settled !== settledBefore.get(id);
      const gotSome = taken.has(id) || blocked > 0;
      const again = madeRoom ? now : this.#whenAgain(nextDueAt, holds, gotSome, now);
      // For a paused queue the claim does not tell what waits in it.
      const from = holds === 'paused' ? flow.from : (nextDueAt ?? Infinity);
      const startsAt = notBefore && Math.max(notBefore, now + GATHERED_MS);
      this.#scheduler.giveBack(flow, nextDueAt === null ? null : again, from, startsAt);
    }
  }

  #whenAgain(nextDueAt: number | null, holds: Holds, gotSome: boolean, now: number): number | null {
    if (nextDueAt === null || holds === 'paused' || holds === 'gone') return null;
    if (holds === 'at-limit') return Math.max(nextDueAt, now + AT_LIMIT_PAUSE_MS);
    if (holds === 'held') return now + HELD_PAUSE_MS;
    return gotSome || nextDueAt > now ? nextDueAt : now + CONTENDED_PAUSE_MS;
  }

  async #takeCallbacks(served: readonly Served[]): Promise<void> {
    const nodeId = this.#lease.nodeId;
    for (const { flow, slots } of served) {
      const callbacks = await this.#store.callbacks.take(nodeId, flow.id, slots);
      const mayBeMore = callbacks.length === slots;
      for (const callback of await this.#mayStart(nodeId, callbacks)) {
        this.#runs.startCallback(callback, nodeId, flow);
      }
      this.#scheduler.giveBack(flow, mayBeMore ? this.#clock.now() : null);
    }
  }

  /**
   * The claimed runs that may be sent: none if the process stood still for so long that another node declared it dead
   * and ended them. Rejects if that cannot be found out; the runs then are a lost claim.
   */
  async #mayStart<T>(nodeId: string, claimed: readonly T[]): Promise<readonly T[]> {
    return claimed.length === 0 || (await this.#lease.holds(nodeId)) ? claimed : [];
  }

  #tellIfIdle(): void {
    if (this.#stopping && this.#runs.unsettled === 0 && !this.#looping) this.#idle?.();
  }
}

interface Served {
  flow: Flow;
  slots: number;
}

/** The flow that a run was claimed from. */
function flowIdOf(run: ClaimedJob | ClaimedExecution): string {
  return run.kind === 'job' ? run.queueId : run.teamId;
}
