import { type Timed, TimerQueue } from './timer-queue.ts';

/** Runs with the same key share slots: the jobs of a queue, the executions of a team, or its callbacks. */
export interface FairnessKey {
  kind: 'queue' | 'crons' | 'callbacks';
  /** The queue's id, else the team's. */
  id: string;
  teamId: string;
}

/** `dueAt`: the earliest due entry; Infinity if none is known. */
export interface FairGroup extends FairnessKey, Timed {
  /** As far as this node can see, nothing due earlier waits. */
  from: number;
  inFlight: number;
  /** The earliest time reported during a claim, which overrides its result; null outside of one. */
  signalledAt: number | null;
  signalledFrom: number;
  isReady: boolean;
  /** The queue's rate allows no earlier start. */
  notBefore: number;
  /** Settings changed during a claim: its result about the rate is out of date. */
  isChanged: boolean;
  /** By the last claim. The next end of a run frees a slot. */
  isAtLimit: boolean;
  /** The number of stored ends, so a claim detects an end during it. */
  settled: number;
}

/**
 * Only a hint: signals and claims update it, regular scans rebuild it, and the store decides. Due groups are served in
 * a line, however much waits in the others (§3.8). Memory and time are per group.
 */
export class FairScheduler {
  readonly #groups = new Map<string, FairGroup>();
  readonly #timers = new TimerQueue<FairGroup>();
  #line: FairGroup[] = [];

  /**
   * An earlier time stays.
   * @param from the earliest time since which it may have been due; 0 if unknown
   */
  expect(key: FairnessKey, dueAt: number, from = dueAt): void {
    const group = this.group(key);
    group.from = Math.min(group.from, from);
    group.signalledFrom = Math.min(group.signalledFrom, from);
    if (group.signalledAt !== null) group.signalledAt = Math.min(group.signalledAt, dueAt);
    const at = Math.max(dueAt, group.notBefore);
    if (at < group.dueAt) this.#setDue(group, at);
  }

  /** Forgets the last claim's result about the rate. */
  expectChanged(key: FairnessKey, dueAt: number, from = dueAt): void {
    const group = this.group(key);
    group.notBefore = -Infinity;
    group.isChanged = true;
    this.expect(key, dueAt, from);
  }

  /**
   * From a scan.
   * @param latest no rate may block a group for longer, because clocks can be set back
   */
  expectFound(key: FairnessKey, dueAt: number, latest: number): void {
    const group = this.group(key);
    group.notBefore = Math.min(group.notBefore, latest);
    this.expect(key, dueAt);
  }

  group({ kind, id, teamId }: FairnessKey): FairGroup {
    const name = nameOf({ kind, id });
    let group = this.#groups.get(name);
    if (!group) {
      group = newGroup({ kind, id, teamId });
      this.#groups.set(name, group);
    }
    return group;
  }

  /** Each must be given back with `giveBack`. */
  takeDue(now: number, most: number): FairGroup[] {
    for (const group of this.#timers.takeUntil(now)) this.#enqueue(group);
    const taken = this.#line.splice(0, most);
    for (const group of taken) {
      group.isReady = false;
      group.signalledAt = Infinity;
      group.signalledFrom = Infinity;
      group.isChanged = false;
    }
    return taken;
  }

  /**
   * A group that is due again goes to the end of the line.
   * @param nextDueAt from the claim; null if nothing waits
   * @param from nothing due earlier is left; 0 if the claim didn't look
   * @param notBefore the rate allows no earlier start
   */
  giveBack(group: FairGroup, nextDueAt: number | null, from = 0, notBefore = -Infinity): void {
    const signalled = group.signalledAt ?? Infinity;
    group.signalledAt = null;
    group.from = Math.min(from, group.signalledFrom);
    group.notBefore = group.isChanged ? -Infinity : notBefore;
    group.dueAt = Infinity;
    this.#setDue(group, Math.max(Math.min(nextDueAt ?? Infinity, signalled), group.notBefore));
    this.#forgetIfIdle(group);
  }

  /** A run has freed its slot. */
  leave(group: FairGroup): void {
    group.inFlight--;
    this.#forgetIfIdle(group);
  }

  /** If the queue was at its limit, or a claim is looking at it, a slot may be free now. */
  settle(known: FairGroup, now: number): void {
    // A group is forgotten when its last run frees its slot. It may have been created again since.
    const group = known.inFlight > 0 ? known : this.#groups.get(nameOf(known));
    if (!group) return;
    group.settled++;
    if (group.isAtLimit) this.expect(group, now);
  }

  /** -Infinity while groups wait in line; Infinity if nothing waits. */
  nextDueAt(): number {
    return this.#line.length > 0 ? -Infinity : this.#timers.earliest();
  }

  /** A group is in the timer queue or in the line, never in both. */
  get size(): number {
    return this.#groups.size + this.#timers.size + this.#line.length;
  }

  #setDue(group: FairGroup, dueAt: number): void {
    group.dueAt = dueAt;
    if (dueAt !== Infinity && !group.isReady && group.signalledAt === null) {
      this.#timers.put(group);
    }
  }

  #enqueue(group: FairGroup): void {
    if (group.isReady || group.signalledAt !== null) return;
    group.isReady = true;
    this.#line.push(group);
  }

  #forgetIfIdle(group: FairGroup): void {
    if (
      group.inFlight > 0 ||
      group.dueAt !== Infinity ||
      group.signalledAt !== null ||
      group.isReady
    )
      return;
    this.#groups.delete(nameOf(group));
  }
}

function newGroup(key: FairnessKey): FairGroup {
  const nothing = { dueAt: Infinity, from: Infinity, signalledAt: null, signalledFrom: Infinity };
  const idle = { inFlight: 0, settled: 0, isReady: false, isAtLimit: false };
  const unblocked = { notBefore: -Infinity, isChanged: false };
  return { ...key, ...nothing, ...idle, ...unblocked, heapIndex: -1 };
}

function nameOf({ kind, id }: Pick<FairnessKey, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
