import type { Clock } from '#domain/clock';
import { parseCronExpression } from '#domain/cron';
import type { Sender } from '#domain/exchange';
import type { Log } from '#domain/log';
import type { Signal } from '#store/database/signals';
import type {
  Claim,
  Claimant,
  ClaimedExecution,
  ClaimedJob,
  Holds,
  LaneSeats,
} from '#store/runs/claims';
import type { Store } from '#store/store';
import { Agenda, type Lane } from './agenda.ts';
import { Lease } from './lease.ts';
import type { EngineObserver } from './observer.ts';
import { Runs } from './runs.ts';
import { dealSeats } from './seats.ts';
import { Strays } from './strays.ts';

export interface EngineOptions {
  store: Store;
  sender: Sender;
  log: Log;
  observer: EngineObserver;
  maxConcurrentRequests: number;
  /** Tests in which time flies make it long; by default what suits the database. */
  leaseMs?: number;
  /** The most runs a month of a plan; null for no limit. */
  monthlyLimitOf: (plan: string) => number | null;
}

/** Lanes served by one claim. */
const MAX_LANES = 64;
/** The clock may jump while the engine sleeps; it looks up this often at least. */
const LONGEST_SLEEP_MS = 1_000;
/** Signals are hints and may be lost: how often the whole agenda is read again. */
const RESCAN_EVERY_MS = 15_000;
/** How long to leave a lane alone that is due but gave nothing: another node holds its rows just now. */
const CONTENDED_PAUSE_MS = 5;
/** A lane that waits for a free seat of its queue's limit is woken by whoever ends a run; this is for lost news. */
const AT_LIMIT_PAUSE_MS = 1_000;
/** When to look again whether somebody still holds a row that a claim of the lane needs. */
const HELD_PAUSE_MS = 100;
const STORE_DOWN_PAUSE_MS = 500;
/** After so long without a look at what waits, or with claims that fail, the engine does not work. */
const STUCK_MS = 60_000;

/**
 * Time passes here: finds what is due, claims it, sends it, and writes down what came of it.
 *
 * One loop claims; every claimed run goes its own way and frees its seat when its answer is in. Nothing is
 * kept here that the store does not know: the process may end at any instant.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #agenda = new Agenda();
  readonly #lease: Lease;
  readonly #strays: Strays;
  readonly #runs: Runs;
  #stopping = false;
  #looping = false;
  #wokenWhileLooping = false;
  #callOffSleep: (() => void) | null = null;
  #callOffRescan: (() => void) | null = null;
  #stopListening = () => {};
  #idle: (() => void) | null = null;
  /** When everything that waits was last read. */
  #lookedAtMs = -Infinity;
  /** The first and the last claim in a row that failed, by kind of lane; without those that succeed. */
  readonly #failedClaims = new Map<Lane['kind'], { firstMs: number; lastMs: number }>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.store.clock;
    this.#strays = new Strays(options.store, options.log);
    this.#lease = new Lease({ ...options, onMoreToDo: () => void this.#rescanAll() });
    this.#runs = new Runs({
      ...options,
      agenda: this.#agenda,
      underWay: this.#strays.underWay,
      onMoreRoom: () => {
        this.#tellIfIdle();
        this.#wake();
      },
    });
  }

  get inFlight(): number {
    return this.#runs.inFlight;
  }

  /** True while nothing is being claimed, sent or settled and nothing is due. */
  isQuiet(): boolean {
    const isBusy = this.#looping || this.#runs.unsettled > 0;
    return !isBusy && this.#agenda.nextDueAt() > this.#clock.now();
  }

  /**
   * False where nothing of some kind could be claimed for a minute: the database is away, refuses, or does not answer.
   * Only what was tried counts: while every seat is taken, nothing is claimed, and nothing is wrong.
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
  }

  /** Claims nothing more and waits for what runs, for `graceMs` at most. What is left is settled as cut off (§3.6). */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#stopListening();
    this.#callOffSleep?.();
    this.#callOffRescan?.();
    if (this.#runs.unsettled > 0 || this.#looping) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        this.#clock.after(graceMs, resolve);
      });
    }
    this.#strays.tell(await this.#lease.stop(this.#strays.underWay));
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

  /** A queue that was resumed, or has a higher limit: all that waits in it may start. */
  #lookAgain(queueId: string, teamId: string): void {
    const from = this.#store.runs.waitingSince(queueId);
    this.#expect('queue', queueId, teamId, this.#clock.now(), from);
  }

  #expect(kind: Lane['kind'], id: string, teamId: string, dueAt: number, from = dueAt): void {
    this.#agenda.expect({ kind, id, teamId }, dueAt, from);
    this.#wake();
  }

  /** What was put back or written late is told of once, and that may have been lost, as with a node that died. */
  async #rescanAll(): Promise<void> {
    this.#store.runs.missedSignals();
    await this.#rescan();
  }

  /** Reads everything that waits, a step per queue and team, and comes back in a while. */
  async #rescan(): Promise<void> {
    this.#callOffRescan?.();
    try {
      for (const { id, teamId, nextDueAt } of await this.#store.runs.scanQueues()) {
        this.#agenda.expect({ kind: 'queue', id, teamId }, nextDueAt);
      }
      for (const { id, teamId, nextDueAt } of await this.#store.runs.scanTeams()) {
        this.#agenda.expect({ kind: 'crons', id, teamId }, nextDueAt);
      }
      for (const teamId of await this.#store.callbacks.scanWaiting()) {
        this.#agenda.expect({ kind: 'callbacks', id: teamId, teamId }, this.#clock.now());
      }
      this.#lookedAtMs = this.#clock.monotonicMs();
    } catch (error) {
      this.#options.log.warn('engine.rescan-failed', { error: (error as Error).message });
    }
    if (this.#stopping) return;
    this.#callOffRescan?.();
    this.#callOffRescan = this.#clock.after(RESCAN_EVERY_MS, () => void this.#rescan());
    this.#wake();
  }

  #wake(): void {
    if (this.#stopping) return;
    if (this.#looping) {
      this.#wokenWhileLooping = true;
      return;
    }
    this.#looping = true;
    // After what is already in hand, so that news that arrives together is served together.
    setImmediate(() => void this.#loop());
  }

  async #loop(): Promise<void> {
    this.#callOffSleep?.();
    do {
      this.#wokenWhileLooping = false;
      await this.#strays.release(this.#lease.nodeId);
      while (this.#mayClaim()) await this.#claimOnce();
    } while (this.#wokenWhileLooping && this.#mayClaim());
    this.#looping = false;
    if (this.#stopping) this.#tellIfIdle();
    else this.#sleep();
  }

  /** While outcomes pile up that are not in the store yet, nothing is claimed. */
  #mayClaim(): boolean {
    const { maxConcurrentRequests } = this.#options;
    return (
      !this.#stopping &&
      this.#runs.inFlight < maxConcurrentRequests &&
      this.#runs.unsettled < 2 * maxConcurrentRequests &&
      this.#agenda.nextDueAt() <= this.#clock.now()
    );
  }

  /** Whoever frees a seat or brings news wakes the loop; sleeping is only for what is not due yet. */
  #sleep(): void {
    const { maxConcurrentRequests } = this.#options;
    if (this.#runs.inFlight >= maxConcurrentRequests) return;
    const untilDue = this.#agenda.nextDueAt() - this.#clock.now();
    const ms = Math.min(Math.max(untilDue, 1), LONGEST_SLEEP_MS);
    this.#callOffSleep = this.#clock.after(ms, () => this.#wake());
  }

  async #claimOnce(): Promise<void> {
    const now = this.#clock.now();
    const lanes = this.#agenda.takeDue(now, MAX_LANES);
    const free = this.#options.maxConcurrentRequests - this.#runs.inFlight;
    const seats = dealSeats(lanes, free, this.#runs.inFlightByTeam);
    const served = lanes.flatMap((lane, n) => {
      const dealt = seats[n] ?? 0;
      return dealt > 0 ? [{ lane, seats: dealt }] : [];
    });
    // Who got no seat comes next if the others leave any; where nobody may have one, something must end first.
    const turnAgainAt = served.length > 0 ? now : now + CONTENDED_PAUSE_MS;
    for (const [n, lane] of lanes.entries()) {
      if (seats[n] === 0) this.#agenda.giveBack(lane, turnAgainAt, lane.from);
    }
    const { runs } = this.#store;
    const from = (kind: Lane['kind'], claim: (served: readonly Served[]) => Promise<void>) =>
      this.#claimFrom(
        kind,
        served.filter(({ lane }) => lane.kind === kind),
        now,
        claim,
      );
    await Promise.all([
      from('queue', (some) => this.#claimRuns(some, now, (...asked) => runs.claimJobs(...asked))),
      from('crons', (some) =>
        this.#claimRuns(some, now, (...asked) => runs.claimExecutions(...asked, nextRunAt)),
      ),
      from('callbacks', (some) => this.#takeCallbacks(some)),
    ]);
  }

  async #claimFrom(
    kind: Lane['kind'],
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
      this.#strays.expect({ queueIds: queues.map(({ lane }) => lane.id), since: now });
      const again = this.#clock.now() + STORE_DOWN_PAUSE_MS;
      for (const { lane } of served) {
        if (lane.newsAt !== null) this.#agenda.giveBack(lane, again, lane.from);
      }
    }
  }

  async #claimRuns(
    served: readonly Served[],
    now: number,
    claim: (asked: LaneSeats[], claimant: Claimant) => Promise<Claim>,
  ): Promise<void> {
    const laneOf = new Map(served.map(({ lane }) => [lane.id, lane]));
    const settledBefore = new Map(served.map(({ lane }) => [lane.id, lane.settled]));
    const nodeId = this.#lease.nodeId;
    const { claimed, blocked, lanes } = await claim(
      served.map(({ lane: { id, teamId, from }, seats }) => ({ id, teamId, seats, from })),
      { nodeId, now, monthlyLimitOf: this.#options.monthlyLimitOf },
    );
    this.#options.observer.claimed(claimed.length, blocked);
    const taken = new Set(claimed.map(laneIdOf));
    for (const run of await this.#mayStart(nodeId, claimed)) {
      const lane = laneOf.get(laneIdOf(run));
      if (lane) this.#runs.start(run, nodeId, lane);
    }
    for (const { id, nextDueAt, holds } of lanes) {
      const lane = laneOf.get(id);
      if (!lane) continue;
      lane.isAtLimit = holds === 'at-limit';
      // What ended while the claim looked may have made room that it did not see.
      const madeRoom = lane.isAtLimit && lane.settled !== settledBefore.get(id);
      const gotSome = taken.has(id) || blocked > 0;
      const again = madeRoom ? now : this.#whenAgain(nextDueAt, holds, gotSome, now);
      // A paused queue tells of nothing that waits in it.
      const from = holds === 'paused' ? lane.from : (nextDueAt ?? Infinity);
      this.#agenda.giveBack(lane, nextDueAt === null ? null : again, from);
    }
  }

  #whenAgain(nextDueAt: number | null, holds: Holds, gotSome: boolean, now: number): number | null {
    if (nextDueAt === null || holds === 'paused' || holds === 'gone') return null;
    if (holds === 'at-limit') return Math.max(nextDueAt, now + AT_LIMIT_PAUSE_MS);
    if (holds === 'held') return now + HELD_PAUSE_MS;
    return gotSome ? nextDueAt : Math.max(nextDueAt, now + CONTENDED_PAUSE_MS);
  }

  async #takeCallbacks(served: readonly Served[]): Promise<void> {
    const nodeId = this.#lease.nodeId;
    for (const { lane, seats } of served) {
      const callbacks = await this.#store.callbacks.take(nodeId, lane.id, seats);
      const mayBeMore = callbacks.length === seats;
      for (const callback of await this.#mayStart(nodeId, callbacks)) {
        this.#runs.startCallback(callback, nodeId, lane);
      }
      this.#agenda.giveBack(lane, mayBeMore ? this.#clock.now() : null);
    }
  }

  /**
   * What of a claim may be sent: nothing where the process stood still until another node declared this one dead
   * and ended it. Rejects where that can't be found out; what was claimed is then a stray.
   */
  async #mayStart<T>(nodeId: string, claimed: readonly T[]): Promise<readonly T[]> {
    return claimed.length === 0 || (await this.#lease.holds(nodeId)) ? claimed : [];
  }

  #tellIfIdle(): void {
    if (this.#stopping && this.#runs.unsettled === 0 && !this.#looping) this.#idle?.();
  }
}

interface Served {
  lane: Lane;
  seats: number;
}

/** The lane that a run was claimed from. */
function laneIdOf(run: ClaimedJob | ClaimedExecution): string {
  return run.kind === 'job' ? run.queueId : run.teamId;
}

/** The store asks for this when it moves a cron on; an expression that it holds was once valid. */
function nextRunAt(cronExpression: string, now: number): number | null {
  const schedule = parseCronExpression(cronExpression);
  return typeof schedule === 'string' ? null : schedule.nextAfter(now);
}
