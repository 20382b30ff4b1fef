import { type Timed, TimerQueue } from './timer-queue.ts';

/** A queue of jobs, or a team's crons, or a team's callbacks: what is claimed from in turn. */
export interface FlowKey {
  kind: 'queue' | 'crons' | 'callbacks';
  /** The queue's id; for the other kinds the team's. */
  id: string;
  teamId: string;
}

/** `dueAt`: when its earliest entry is due; Infinity while nothing is known to wait. */
export interface Flow extends FlowKey, Timed {
  /** Nothing that waits in it, as far as this node knows, was due earlier: where the next claim begins to look. */
  from: number;
  inFlight: number;
  /** Set while a claim looks at the flow: news that arrives meanwhile must outlive the claim's answer. */
  newsAt: number | null;
  /** `from` of the news that arrives meanwhile. */
  newsFrom: number;
  isReady: boolean;
  /** Its last claim found its queue's concurrency limit reached, so the next end of a run makes room. */
  isAtLimit: boolean;
  /** Runs whose end is stored, so that a claim can tell whether one ended while it looked. */
  settled: number;
}

/**
 * What this node knows of when something is due where. It is a hint, kept up by signals and by what
 * claims report, and rebuilt from the store now and then; the store alone decides what is due.
 *
 * Flows that are due stand in a line and are served from its head, so that each gets its turn however
 * much waits in the others (§3.8). Memory and time are per flow, never per waiting job.
 */
export class FlowScheduler {
  readonly #flows = new Map<string, Flow>();
  readonly #timers = new TimerQueue<Flow>();
  #line: Flow[] = [];

  /**
   * Something in the flow is due at `dueAt`, or earlier than that is already known.
   *
   * @param from  the earliest time that it may have been due since; 0 where that is not known
   */
  expect(key: FlowKey, dueAt: number, from = dueAt): void {
    const flow = this.flow(key);
    flow.from = Math.min(flow.from, from);
    flow.newsFrom = Math.min(flow.newsFrom, from);
    if (flow.newsAt !== null) flow.newsAt = Math.min(flow.newsAt, dueAt);
    if (dueAt < flow.dueAt) this.#setDue(flow, dueAt);
  }

  /** The flow of a key, made when it is first heard of. */
  flow({ kind, id, teamId }: FlowKey): Flow {
    const name = nameOf({ kind, id });
    let flow = this.#flows.get(name);
    if (!flow) {
      flow = newFlow({ kind, id, teamId });
      this.#flows.set(name, flow);
    }
    return flow;
  }

  /** Takes up to `most` flows that are due from the head of the line. Each must be given back. */
  takeDue(now: number, most: number): Flow[] {
    for (const flow of this.#timers.takeUntil(now)) this.#standInLine(flow);
    const taken = this.#line.splice(0, most);
    for (const flow of taken) {
      flow.isReady = false;
      flow.newsAt = Infinity;
      flow.newsFrom = Infinity;
    }
    return taken;
  }

  /**
   * Gives a flow back after a claim, to the end of the line if it is due again.
   *
   * @param nextDueAt  when to look again, by what the claim saw; null for nothing to come
   * @param from  what the claim saw: nothing that was due earlier was left. 0 where it did not look
   */
  giveBack(flow: Flow, nextDueAt: number | null, from = 0): void {
    const news = flow.newsAt ?? Infinity;
    flow.newsAt = null;
    flow.from = Math.min(from, flow.newsFrom);
    flow.dueAt = Infinity;
    this.#setDue(flow, Math.min(nextDueAt ?? Infinity, news));
    this.#forgetIfIdle(flow);
  }

  /** A run of the flow has ended. */
  leave(flow: Flow): void {
    flow.inFlight--;
    this.#forgetIfIdle(flow);
  }

  /**
   * The end of a run is stored. If its queue was found at its limit, or is being looked at just now, there
   * may be room: whoever was claimed before the limit was set makes room like any other.
   */
  settle(known: Flow, now: number): void {
    // A flow is forgotten when its last run frees its slot, and may have been made anew since.
    const flow = known.inFlight > 0 ? known : this.#flows.get(nameOf(known));
    if (!flow) return;
    flow.settled++;
    if (flow.isAtLimit) this.expect(flow, now);
  }

  /** When the next flow is due; now or earlier while flows stand in line. Infinity: nothing waits. */
  nextDueAt(): number {
    return this.#line.length > 0 ? -Infinity : this.#timers.earliest();
  }

  get flowCount(): number {
    return this.#flows.size;
  }

  /** Everything that it holds on to: a flow stands in the timer queue or in the line, and never twice. */
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
  return { ...key, ...nothing, ...idle, heapIndex: -1 };
}

function nameOf({ kind, id }: Pick<FlowKey, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
