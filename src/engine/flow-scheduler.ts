import { type Timed, TimerQueue } from './timer-queue.ts';

/** A queue of jobs, a team's crons, or a team's callbacks. */
export interface FlowKey {
  kind: 'queue' | 'crons' | 'callbacks';
  /** The queue's id, else the team's. */
  id: string;
  teamId: string;
}

/** `dueAt`: the earliest due entry; Infinity if none is known. */
export interface Flow extends FlowKey, Timed {
  /** The next claim searches from here: as far as this node can see, nothing due earlier waits. */
  from: number;
  inFlight: number;
  /** The earliest time reported during a claim; null outside of one. It overrides the claim's result. */
  newsAt: number | null;
  newsFrom: number;
  isReady: boolean;
  /** The queue's rate allows no earlier start. */
  notBefore: number;
  /** Settings changed during a claim: its result about the rate is out of date. */
  isChanged: boolean;
  /** The last claim found the concurrency limit reached. The next end of a run makes room. */
  isAtLimit: boolean;
  /** The number of stored ends, so that a claim detects an end during it. */
  settled: number;
}

/**
 * Only a hint: signals and claims update it, regular scans rebuild it, and the store
 * decides. Due flows are served in a line, however much waits in the others (§3.8). Memory
 * and time are per flow, never per job.
 */
export class FlowScheduler {
  readonly #flows = new Map<string, Flow>();
  readonly #timers = new TimerQueue<Flow>();
  #line: Flow[] = [];

  /**
   * An earlier time stays.
   * @param from the earliest time since which it may have been due; 0 if unknown
   */
  expect(key: FlowKey, dueAt: number, from = dueAt): void {
    const flow = this.flow(key);
    flow.from = Math.min(flow.from, from);
    flow.newsFrom = Math.min(flow.newsFrom, from);
    if (flow.newsAt !== null) flow.newsAt = Math.min(flow.newsAt, dueAt);
    const at = Math.max(dueAt, flow.notBefore);
    if (at < flow.dueAt) this.#setDue(flow, at);
  }

  /** Settings may have changed: forgets the last claim's result about the rate. */
  expectChanged(key: FlowKey, dueAt: number, from = dueAt): void {
    const flow = this.flow(key);
    flow.notBefore = -Infinity;
    flow.isChanged = true;
    this.expect(key, dueAt, from);
  }

  /**
   * From a scan.
   * @param latest no rate may block a flow for longer, because clocks can be set back
   */
  expectFound(key: FlowKey, dueAt: number, latest: number): void {
    const flow = this.flow(key);
    flow.notBefore = Math.min(flow.notBefore, latest);
    this.expect(key, dueAt);
  }

  flow({ kind, id, teamId }: FlowKey): Flow {
    const name = nameOf({ kind, id });
    let flow = this.#flows.get(name);
    if (!flow) {
      flow = newFlow({ kind, id, teamId });
      this.#flows.set(name, flow);
    }
    return flow;
  }

  /** Each must be given back with `giveBack`. */
  takeDue(now: number, most: number): Flow[] {
    for (const flow of this.#timers.takeUntil(now)) this.#standInLine(flow);
    const taken = this.#line.splice(0, most);
    for (const flow of taken) {
      flow.isReady = false;
      flow.newsAt = Infinity;
      flow.newsFrom = Infinity;
      flow.isChanged = false;
    }
    return taken;
  }

  /**
   * A flow that is due again goes to the end of the line.
   * @param nextDueAt from the claim; null if nothing waits
   * @param from nothing due earlier is left; 0 if the claim didn't look
   * @param notBefore the rate allows no earlier start
   */
  giveBack(flow: Flow, nextDueAt: number | null, from = 0, notBefore = -Infinity): void {
    const news = flow.newsAt ?? Infinity;
    flow.newsAt = null;
    flow.from = Math.min(from, flow.newsFrom);
    flow.notBefore = flow.isChanged ? -Infinity : notBefore;
    flow.dueAt = Infinity;
    this.#setDue(flow, Math.max(Math.min(nextDueAt ?? Infinity, news), flow.notBefore));
    this.#forgetIfIdle(flow);
  }

  /** A run has freed its slot. */
  leave(flow: Flow): void {
    flow.inFlight--;
    this.#forgetIfIdle(flow);
  }

  /** The end of a run is stored. If the queue was at its limit, or a claim is looking at it, there may be room now. */
  settle(known: Flow, now: number): void {
    // A flow is forgotten when its last run frees its slot. It may have been created again since.
    const flow = known.inFlight > 0 ? known : this.#flows.get(nameOf(known));
    if (!flow) return;
    flow.settled++;
    if (flow.isAtLimit) this.expect(flow, now);
  }

  /** -Infinity while flows wait in line; Infinity if nothing waits. */
  nextDueAt(): number {
    return this.#line.length > 0 ? -Infinity : this.#timers.earliest();
  }

  get flowCount(): number {
    return this.#flows.size;
  }

  /** A flow is in the timer queue or in the line, never in both. */
  get size(): number {
    return this.#flows.size + this.#timers.size + this.#line.length;
  }

  #setDue(flow: Flow, dueAt: number): void {
    flow.dueAt = dueAt;
    if (dueAt !== Infinity && !flow.isReady && flow.newsAt === null) {
      this.#timers.put(flow);
    }
  }

  #standInLine(flow: Flow): void {
    if (flow.isReady || flow.newsAt !== null) return;
    flow.isReady = true;
    this.#line.push(flow);
  }

  #forgetIfIdle(flow: Flow): void {
    if (flow.inFlight > 0 || flow.dueAt !== Infinity || flow.newsAt !== null || flow.isReady)
      return;
    this.#flows.delete(nameOf(flow));
  }
}

function newFlow(key: FlowKey): Flow {
  const nothing = { dueAt: Infinity, from: Infinity, newsAt: null, newsFrom: Infinity };
  const idle = { inFlight: 0, settled: 0, isReady: false, isAtLimit: false };
  const unheld = { notBefore: -Infinity, isChanged: false };
  return { ...key, ...nothing, ...idle, ...unheld, heapIndex: -1 };
}

function nameOf({ kind, id }: Pick<FlowKey, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
