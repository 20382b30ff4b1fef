import type { Clock } from '#domain/base/clock';
import type { Sender } from '#domain/http/exchange';
import { FaultLog } from '#domain/base/fault-log';
import type { Log } from '#domain/base/log';
import type { Signal } from '#store/database/signals';
import type { Claim, ClaimedExecution, ClaimedJob, Blocker, GroupSlots } from '#store/runs/claims';
import type { MonthlyLimits } from '#store/figures/usage';
import type { Store } from '#store/store';
import { FairScheduler, type FairGroup } from './fair-scheduler.ts';
import { Lease } from './lease.ts';
import type { EngineObserver } from './observer.ts';
import { CallbackUnderWay } from './callback.ts';
import { RunUnderWay, type RunTools } from './run-under-way.ts';
import { Slots } from './slots.ts';
import { addUpCounts, COUNTS_GATHERED_MS } from './chores/adding-up.ts';
import { correctCronTimes } from './chores/cron-times.ts';
import type { Repeating } from '#domain/base/repeating';
import { cutToClaim, dealSlots } from './fair-slots.ts';
import { createLostClaims, type LostClaims } from './lost-claims.ts';

interface EngineOptions {
  store: Store;
  sender: Sender;
  log: Log;
  observer: Partial<EngineObserver>;
  maxConcurrentRequests: number;
  responseKeepBytes: number;
  /** Milliseconds. Tests that skip time set a long one. */
  leaseMs?: number;
  limits: MonthlyLimits;
}

const MAX_GROUPS = 64;
/** Signals are hints and may be lost. */
const RESCAN_EVERY_MS = 15_000;
/** For a group that is due but whose rows another node holds. */
const CONTENDED_PAUSE_MS = 5;
/** The end of a run wakes a group earlier, unless its signal is lost. */
const AT_LIMIT_PAUSE_MS = 1_000;
/** After a claim that skipped locked rows. */
const LOCKED_PAUSE_MS = 100;
/** Between two claims from a queue with a high rate; the rate's credit covers it. */
const GATHERED_MS = 10;
const STORE_DOWN_PAUSE_MS = 500;
/** After this long without a successful scan or claim, the engine counts as not working. */
const STUCK_MS = 60_000;

/** Kinds don't wait for each other's claims. */
interface ClaimLoop {
  readonly kind: FairGroup['kind'];
  readonly scheduler: FairScheduler;
  isRunning: boolean;
  wokenWhileRunning: boolean;
  cancelSleep: () => void;
  /** Of consecutive failed claims; null after a success. */
  failed: { firstMs: number; lastMs: number } | null;
  readonly faults: FaultLog;
}

/** Claimed runs proceed independently. No state is only in memory: the process may end at any instant. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #loops: Readonly<Record<FairGroup['kind'], ClaimLoop>>;
  readonly #eachLoop: readonly ClaimLoop[];
  readonly #rescanFaults: FaultLog;
  readonly #lease: Lease;
  readonly #lostClaims: LostClaims;
  readonly #slots = new Slots(() => {
    this.#resolveIfIdle();
    this.#wakeDue();
  });
  readonly #runTools: RunTools;
  readonly #addingUp: Repeating;
  readonly #cronTimes: Repeating;
  #stopping = false;
  /** Dealt, and not taken by a run yet. */
  #reserved = 0;
  readonly #claims = new Set<Promise<void>>();
  /** Meanwhile nothing is claimed. */
  #releasing: Promise<void> | null = null;
  #cancelRescan: (() => void) | null = null;
  #stopListening = () => {};
  #idle: (() => void) | null = null;
  /** The last scan of everything, by the monotonic clock. */
  #lookedAtMs = -Infinity;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.store.clock;
    const { log } = options;
    this.#loops = {
      queue: createLoop('queue', options),
      crons: createLoop('crons', options),
      callbacks: createLoop('callbacks', options),
    };
    this.#eachLoop = Object.values(this.#loops);
    this.#rescanFaults = new FaultLog(this.#clock, log, 'engine.rescan-failed');
    this.#lostClaims = createLostClaims(options.store, options.log, this.#slots);
    this.#addingUp = addUpCounts(options.store, options.log);
    this.#cronTimes = correctCronTimes(options.store, options.log);
    this.#lease = new Lease({ ...options, onMoreToDo: () => void this.#rescanAll() });
    this.#runTools = {
      ...options,
      clock: this.#clock,
      slots: this.#slots,
      schedulerOf: ({ kind }) => this.#loops[kind].scheduler,
      onEnd: () => this.#addingUp.start(COUNTS_GATHERED_MS),
    };
  }

  get inFlight(): number {
    return this.#slots.inFlight;
  }

  /** Changes if others declare this process dead. */
  get nodeId(): string {
    return this.#lease.nodeId;
  }

  /** True while nothing is claimed, sent or settled and nothing is due. */
  isQuiet(): boolean {
    const isBusy = this.#isClaiming() || this.#slots.unsettled > 0 || this.#cronTimes.isRunning;
    const now = this.#clock.now();
    return !isBusy && this.#eachLoop.every(({ scheduler }) => scheduler.nextDueAt() > now);
  }

  /**
   * False if all claims of some kind have failed for a minute, or no scan succeeded. Only attempted claims count: while
   * every slot is taken, nothing is wrong.
   */
  isWorking(): boolean {
    const agoMs = (sinceMs: number) => this.#clock.monotonicMs() - sinceMs;
    const claimsFail = this.#eachLoop.some(
      ({ failed }) => failed !== null && failed.lastMs - failed.firstMs > STUCK_MS,
    );
    return !this.#stopping && !claimsFail && agoMs(this.#lookedAtMs) <= STUCK_MS;
  }

  async start(): Promise<void> {
    await this.#lease.start();
    this.#stopListening = this.#store.signals.listen((signal) => this.#receive(signal));
    await this.#rescan();
    this.#addingUp.start(COUNTS_GATHERED_MS);
    this.#cronTimes.start();
  }

  /** Runs that are left after `graceMs` are settled as cut off (§3.6). */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#stopListening();
    const planned = this.#cronTimes.stop();
    for (const { cancelSleep } of this.#eachLoop) cancelSleep();
    this.#cancelRescan?.();
    if (this.#slots.unsettled > 0 || this.#isClaiming()) {
      await new Promise<void>((resolve) => {
        const cancelGrace = this.#clock.after(graceMs, resolve);
        this.#idle = () => {
          cancelGrace();
          resolve();
        };
      });
    }
    this.#lostClaims.signal(await this.#lease.stop(this.#slots.unsettledIds));
    await Promise.all([this.#addingUp.stop(), planned]);
  }

  #receive(signal: Signal): void {
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
      case 'notifications':
        break;
      case 'unknown':
        void this.#rescanAll();
        break;
    }
  }

  #lookAgain(queueId: string, teamId: string): void {
    const from = this.#store.runs.waitingSince(queueId);
    const key = { kind: 'queue', id: queueId, teamId } as const;
    this.#loops.queue.scheduler.expectChanged(key, this.#clock.now(), from);
    this.#wake(this.#loops.queue);
  }

  #expect(kind: FairGroup['kind'], id: string, teamId: string, dueAt: number): void {
    this.#loops[kind].scheduler.expect({ kind, id, teamId }, dueAt);
    this.#wake(this.#loops[kind]);
  }

  /**
   * Rows that were put back or written late are announced only once, and a node that dies
   * loses the announcement.
   */
  async #rescanAll(): Promise<void> {
    this.#store.runs.missedSignals();
    await this.#rescan(0);
  }

  /** @param delayMs how long the last claim may still delay a queue, by its rate or a maintenance window */
  async #rescan(delayMs = RESCAN_EVERY_MS): Promise<void> {
    this.#cancelRescan?.();
    try {
      for (const { id, teamId, nextDueAt } of await this.#store.runs.scanQueues()) {
        const latest = this.#clock.now() + delayMs;
        this.#loops.queue.scheduler.expectFound({ kind: 'queue', id, teamId }, nextDueAt, latest);
      }
      for (const { id, teamId, nextDueAt } of await this.#store.runs.scanTeams()) {
        this.#loops.crons.scheduler.expect({ kind: 'crons', id, teamId }, nextDueAt);
      }
      for (const teamId of await this.#store.callbacks.scanWaiting()) {
        const key = { kind: 'callbacks', id: teamId, teamId } as const;
        this.#loops.callbacks.scheduler.expect(key, this.#clock.now());
      }
      this.#lookedAtMs = this.#clock.monotonicMs();
      this.#rescanFaults.worked();
    } catch (error) {
      this.#rescanFaults.failed(error);
    }
    if (this.#stopping) return;
    this.#cancelRescan?.();
    this.#cancelRescan = this.#clock.after(RESCAN_EVERY_MS, () => void this.#rescan());
    for (const loop of this.#eachLoop) this.#wake(loop);
  }

  #isClaiming(): boolean {
    return this.#eachLoop.some(({ isRunning }) => isRunning);
  }

  #wake(loop: ClaimLoop): void {
    if (this.#stopping) return;
    if (loop.isRunning) {
      loop.wokenWhileRunning = true;
      return;
    }
    loop.isRunning = true;
    // So signals that arrive together are served together.
    setImmediate(() => void this.#run(loop));
  }

  #wakeDue(): void {
    for (const loop of this.#eachLoop) {
      if (loop.isRunning) loop.wokenWhileRunning = true;
      else if (loop.scheduler.nextDueAt() < Infinity && this.#mayClaim(loop)) this.#wake(loop);
    }
  }

  async #run(loop: ClaimLoop): Promise<void> {
    loop.cancelSleep();
    do {
      loop.wokenWhileRunning = false;
      await this.#releaseLostClaims();
      while (this.#mayClaim(loop)) {
        await this.#claimOnce(loop);
        await this.#releaseLostClaims();
      }
    } while (loop.wokenWhileRunning && this.#mayClaim(loop));
    loop.isRunning = false;
    if (this.#stopping) this.#resolveIfIdle();
    else this.#sleep(loop);
  }

  /** Waits for the running claims first. */
  async #releaseLostClaims(): Promise<void> {
    if (this.#releasing === null && this.#lostClaims.idleForMs > 0) return;
    this.#releasing ??= Promise.all(this.#claims)
      .then(() => this.#lostClaims.release(this.#lease.nodeId))
      .finally(() => {
        this.#releasing = null;
      });
    await this.#releasing;
  }

  #mayClaim({ scheduler }: ClaimLoop): boolean {
    return !this.#stopping && this.#hasCapacity() && scheduler.nextDueAt() <= this.#clock.now();
  }

  #hasCapacity(): boolean {
    const { maxConcurrentRequests } = this.#options;
    const { unsettled, canStoreResponses } = this.#slots;
    return this.#freeSlots > 0 && unsettled < 2 * maxConcurrentRequests && canStoreResponses;
  }

  get #freeSlots(): number {
    return this.#options.maxConcurrentRequests - this.#slots.inFlight - this.#reserved;
  }

  /** Free capacity and signals wake a loop earlier. */
  #sleep(loop: ClaimLoop): void {
    if (!this.#hasCapacity()) return;
    const wake = () => this.#wake(loop);
    const cancelDue = this.#clock.at(loop.scheduler.nextDueAt(), wake);
    const { idleForMs } = this.#lostClaims;
    const cancelLook = idleForMs < Infinity ? this.#clock.after(idleForMs, wake) : () => {};
    loop.cancelSleep = () => {
      cancelDue();
      cancelLook();
    };
  }

  async #claimOnce(loop: ClaimLoop): Promise<void> {
    const { scheduler } = loop;
    const now = this.#clock.now();
    const groups = scheduler.takeDue(now, MAX_GROUPS);
    const dealtFor = dealSlots(groups, this.#freeSlots, this.#slots.inFlightByTeam);
    const slots = cutToClaim(dealtFor, this.#options.maxConcurrentRequests);
    const served = groups.flatMap((group, n) => {
      const dealt = slots[n] ?? 0;
      return dealt > 0 ? [{ group, slots: dealt }] : [];
    });
    // Groups without a slot are served next if the others leave one. If no group may have one, some run must end first.
    const retryAt = served.length > 0 ? now : now + CONTENDED_PAUSE_MS;
    for (const [n, group] of groups.entries()) {
      if (slots[n] === 0) scheduler.giveBack(group, retryAt, group.from);
    }
    if (served.length === 0) return;
    const dealt = served.reduce((sum, each) => sum + each.slots, 0);
    this.#reserved += dealt;
    const claim = this.#claimFrom(loop, served, now).finally(() => {
      this.#reserved -= dealt;
      this.#claims.delete(claim);
      // Loops of other kinds may have waited for slots that this claim didn't use.
      this.#wakeDue();
    });
    this.#claims.add(claim);
    await claim;
  }

  /** Never rejects. */
  async #claimFrom(loop: ClaimLoop, served: readonly Served[], now: number): Promise<void> {
    try {
      if (loop.kind === 'callbacks') await this.#takeCallbacks(served);
      else await this.#claimRuns(loop, served, now);
      loop.failed = null;
      loop.faults.worked({ kind: loop.kind });
    } catch (error) {
      const lastMs = this.#clock.monotonicMs();
      loop.failed = { firstMs: loop.failed?.firstMs ?? lastMs, lastMs };
      loop.faults.failed(error, { kind: loop.kind });
      const queues = loop.kind === 'queue' ? served : [];
      this.#lostClaims.expect({ queueIds: queues.map(({ group }) => group.id), since: now });
    }
    // After a fault, or if the claim named not all of them.
    const again = this.#clock.now() + STORE_DOWN_PAUSE_MS;
    for (const { group } of served) {
      if (group.signalledAt !== null) loop.scheduler.giveBack(group, again, group.from);
    }
  }

  async #claimRuns(
    { kind, scheduler }: ClaimLoop,
    served: readonly Served[],
    now: number,
  ): Promise<void> {
    const { runs } = this.#store;
    const groupOf = new Map(served.map(({ group }) => [group.id, group]));
    const settledBefore = new Map(served.map(({ group }) => [group.id, group.settled]));
    const nodeId = this.#lease.nodeId;
    const asked = served.map(({ group: { id, teamId, from }, slots }): GroupSlots => {
      return { id, teamId, slots, from };
    });
    const claimant = { nodeId, now, limits: this.#options.limits };
    const { claimed, blocked, groups }: Claim = await (kind === 'queue'
      ? runs.claimJobs(asked, claimant)
      : runs.claimExecutions(asked, claimant));
    this.#options.observer.claimed?.(claimed.length, blocked);
    const taken = new Set(claimed.map(groupIdOf));
    for (const run of await this.#mayStart(nodeId, claimed)) {
      const group = groupOf.get(groupIdOf(run));
      if (group) new RunUnderWay(this.#runTools, run, nodeId, group).start();
    }
    for (const { id, nextDueAt, blocker, notBefore } of groups) {
      const group = groupOf.get(id);
      if (!group) continue;
      group.isAtLimit = blocker === 'at-limit';
      // A run that ended during the claim may have freed a slot.
      const hasFreedSlot = group.isAtLimit && group.settled !== settledBefore.get(id);
      const gotSome = taken.has(id) || blocked > 0;
      const again = hasFreedSlot ? now : this.#whenAgain(nextDueAt, blocker, gotSome, now);
      // For a paused queue the claim doesn't return the waiting jobs.
      const from = blocker === 'paused' ? group.from : (nextDueAt ?? Infinity);
      const startsAt = notBefore && Math.max(notBefore, now + GATHERED_MS);
      scheduler.giveBack(group, nextDueAt === null ? null : again, from, startsAt);
    }
  }

  #whenAgain(
    nextDueAt: number | null,
    blocker: Blocker,
    gotSome: boolean,
    now: number,
  ): number | null {
    if (nextDueAt === null || blocker === 'paused' || blocker === 'gone') return null;
    if (blocker === 'at-limit') return Math.max(nextDueAt, now + AT_LIMIT_PAUSE_MS);
    if (blocker === 'locked') return now + LOCKED_PAUSE_MS;
    return gotSome || nextDueAt > now ? nextDueAt : now + CONTENDED_PAUSE_MS;
  }

  async #takeCallbacks(served: readonly Served[]): Promise<void> {
    const nodeId = this.#lease.nodeId;
    const asked = served.map(({ group, slots }) => ({ teamId: group.teamId, slots }));
    const taken = await this.#store.callbacks.take(nodeId, asked);
    const startable = Map.groupBy(await this.#mayStart(nodeId, taken), ({ teamId }) => teamId);
    const counts = Map.groupBy(taken, ({ teamId }) => teamId);
    for (const { group, slots } of served) {
      for (const callback of startable.get(group.teamId) ?? []) {
        new CallbackUnderWay(this.#runTools, callback, group).start();
      }
      const mayBeMore = counts.get(group.teamId)?.length === slots;
      this.#loops.callbacks.scheduler.giveBack(group, mayBeMore ? this.#clock.now() : null);
    }
  }

  /**
   * None if the process was blocked so long that another node ended them. Rejects if that can't be checked; the runs
   * are then a lost claim.
   */
  async #mayStart<T>(nodeId: string, claimed: readonly T[]): Promise<readonly T[]> {
    return claimed.length === 0 || (await this.#lease.holds(nodeId)) ? claimed : [];
  }

  #resolveIfIdle(): void {
    if (this.#stopping && this.#slots.unsettled === 0 && !this.#isClaiming()) this.#idle?.();
  }
}

interface Served {
  group: FairGroup;
  slots: number;
}

function createLoop(kind: FairGroup['kind'], { store, log }: EngineOptions): ClaimLoop {
  const faults = new FaultLog(store.clock, log, 'engine.claim-failed', 'error');
  const idle = { isRunning: false, wokenWhileRunning: false, cancelSleep: () => {}, failed: null };
  return { kind, scheduler: new FairScheduler(), faults, ...idle };
}

function groupIdOf(run: ClaimedJob | ClaimedExecution): string {
  return run.kind === 'job' ? run.queueId : run.teamId;
}
