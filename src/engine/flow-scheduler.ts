import { type Timed, TimerQueue } from './timer-queue.ts';

/** Identifies a flow: a queue of jobs, a team's crons, or a team's callbacks. Claims serve flows in turn. */
export interface FlowKey {
  kind: 'queue' | 'crons' | 'callbacks';
  /** The queue's id; for the other kinds the team's. */
  id: string;
  teamId: string;
}

/** A flow. `dueAt` is when its earliest entry is due; Infinity if none is known to wait. */
export interface Flow extends FlowKey, Timed {
  /** Where the next claim begins to search: as far as this node can see, no waiting entry was due earlier. */
  from: number;
  inFlight: number;
  /**
   * The earliest time reported while a claim looks at the flow; null outside of a claim. It must outlive the claim's
   * result.
   */
  newsAt: number | null;
  /** `from` of entries that are reported during a claim. */
  newsFrom: number;
  isReady: boolean;
  /** Its queue's rate allows no earlier start. */
  notBefore: number;
  /** Whether its settings have changed during a claim: the claim's result about the rate is out of date. */
  isChanged: boolean;
  /** Whether its last claim found the queue's concurrency limit reached. The next end of a run then makes room. */
  isAtLimit: boolean;
  /** How many of its runs have been stored, so that a claim can detect that one ended meanwhile. */
  settled: number;
}

/**
 * This node's view of when each flow is due. It is only a hint: signals and claims update it, and a scan of the store
 * rebuilds it regularly. The store alone decides.
 *
 * Flows that are due wait in a line and are served from its head, so that each is served however much waits in the
 * others (§3.8). Memory and time are per flow, never per waiting job.
 */
export class FlowScheduler {
  readonly #flows = new Map<string, Flow>();
  readonly #timers = new TimerQueue<Flow>();
  #line: Flow[] = [];

  /**
   * Notes that an entry of the flow is due at `dueAt`. An earlier time stays.
   *
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

  /** Like `expect`, after the settings may have changed: forgets the last claim's result about the rate. */
  expectChanged(key: FlowKey, dueAt: number, from = dueAt): void {
    const flow = this.flow(key);
    flow.notBefore = -Infinity;
    flow.isChanged = true;
    this.expect(key, dueAt, from);
  }

  /**
   * Like `expect`, by a scan of all waiting entries.
   *
   * @param latest no rate may block a flow for longer, because clocks can be set back
   */
  expectFound(key: FlowKey, dueAt: number, latest: number): void {
    const flow = this.flow(key);
    flow.notBefore = Math.min(flow.notBefore, latest);
    this.expect(key, dueAt);
  }

  /** The flow of a key, created when it is first needed. */
  flow({ kind, id, teamId }: FlowKey): Flow {
    const name = nameOf({ kind, id });
    let flow = this.#flows.get(name);
    if (!flow) {
      flow = newFlow({ kind, id, teamId });
      this.#flows.set(name, flow);
    }
    return flow;
  }

  /** Takes up to `most` due flows from the head of the line. Each must be given back with `giveBack`. */
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
   * Gives a flow back after a claim. If it is due again, it goes to the end of the line.
   *
   * @param nextDueAt  when to claim again, according to the claim; null if nothing waits
   * @param from  the claim left nothing that was due earlier than this; 0 if it did not look
   * @param notBefore  the earliest that the queue's rate lets anything start, according to the claim
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

  /** Notes that a run of the flow has freed its slot. */
  leave(flow: Flow): void {
    flow.inFlight--;
    this.#forgetIfIdle(flow);
  }

  /**
   * Notes that the end of a run is stored. If the queue was found at its limit, or a claim is just looking at it,
   * there may be room now. That also holds for runs that were claimed before the limit was set.
   */
  settle(known: Flow, now: number): void {
    // A flow is forgotten when its last run frees its slot. It may have been created again since.
    const flow = known.inFlight > 0 ? known : this.#flows.get(nameOf(known));
    if (!flow) return;
    flow.settled++;
    if (flow.isAtLimit) this.expect(flow, now);
  }

  /** When the next flow is due; -Infinity while flows wait in line; Infinity if nothing waits. */
  nextDueAt(): number {
    return this.#line.length > 0 ? -Infinity : this.#timers.earliest();
  }

  get flowCount(): number {
    return this.#flows.size;
  }

  /** The number of entries in all its lists. A flow is in the timer queue or in the line, never in both. */
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
