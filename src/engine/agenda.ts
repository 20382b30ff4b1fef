import { type Timed, Timetable } from './timetable.ts';

/** A queue of jobs, or a team's crons, or a team's callbacks: what is claimed from in turn. */
export interface LaneKey {
  kind: 'queue' | 'crons' | 'callbacks';
  /** The queue's id; for the other kinds the team's. */
  id: string;
  teamId: string;
}

/** `dueAt`: when its earliest entry is due; Infinity while nothing is known to wait. */
export interface Lane extends LaneKey, Timed {
  /** Nothing that waits in it, as far as this node knows, was due earlier: where the next claim begins to look. */
  from: number;
  inFlight: number;
  /** Set while a claim looks at the lane: news that arrives meanwhile must outlive the claim's answer. */
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
 * Lanes that are due stand in a line and are served from its head, so that each gets its turn however
 * much waits in the others (§3.8). Memory and time are per lane, never per waiting job.
 */
export class Agenda {
  readonly #lanes = new Map<string, Lane>();
  readonly #timetable = new Timetable<Lane>();
  #line: Lane[] = [];

  /**
   * Something in the lane is due at `dueAt`, or earlier than that is already known.
   *
   * @param from  the earliest time that it may have been due since; 0 where that is not known
   */
  expect(key: LaneKey, dueAt: number, from = dueAt): void {
    const lane = this.lane(key);
    lane.from = Math.min(lane.from, from);
    lane.newsFrom = Math.min(lane.newsFrom, from);
    if (lane.newsAt !== null) lane.newsAt = Math.min(lane.newsAt, dueAt);
    if (dueAt < lane.dueAt) this.#setDue(lane, dueAt);
  }

  /** The lane of a key, made when it is first heard of. */
  lane({ kind, id, teamId }: LaneKey): Lane {
    const name = nameOf({ kind, id });
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = newLane({ kind, id, teamId });
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** Takes up to `most` lanes that are due from the head of the line. Each must be given back. */
  takeDue(now: number, most: number): Lane[] {
    for (const lane of this.#timetable.takeUntil(now)) this.#standInLine(lane);
    const taken = this.#line.splice(0, most);
    for (const lane of taken) {
      lane.isReady = false;
      lane.newsAt = Infinity;
      lane.newsFrom = Infinity;
    }
    return taken;
  }

  /**
   * Gives a lane back after a claim, to the end of the line if it is due again.
   *
   * @param nextDueAt  when to look again, by what the claim saw; null for nothing to come
   * @param from  what the claim saw: nothing that was due earlier was left. 0 where it did not look
   */
  giveBack(lane: Lane, nextDueAt: number | null, from = 0): void {
    const news = lane.newsAt ?? Infinity;
    lane.newsAt = null;
    lane.from = Math.min(from, lane.newsFrom);
    lane.dueAt = Infinity;
    this.#setDue(lane, Math.min(nextDueAt ?? Infinity, news));
    this.#forgetIfIdle(lane);
  }

  /** A run of the lane has ended. */
  leave(lane: Lane): void {
    lane.inFlight--;
    this.#forgetIfIdle(lane);
  }

  /**
   * The end of a run is stored. If its queue was found at its limit, or is being looked at just now, there
   * may be room: whoever was claimed before the limit was set makes room like any other.
   */
  settle(known: Lane, now: number): void {
    // A lane is forgotten when its last run frees its seat, and may have been made anew since.
    const lane = known.inFlight > 0 ? known : this.#lanes.get(nameOf(known));
    if (!lane) return;
    lane.settled++;
    if (lane.isAtLimit) this.expect(lane, now);
  }

  /** When the next lane is due; now or earlier while lanes stand in line. Infinity: nothing waits. */
  nextDueAt(): number {
    return this.#line.length > 0 ? -Infinity : this.#timetable.earliest();
  }

  get laneCount(): number {
    return this.#lanes.size;
  }

  /** Everything that it holds on to: a lane stands in the timetable or in the line, and never twice. */
  get size(): number {
    return this.#lanes.size + this.#timetable.size + this.#line.length;
  }

  #setDue(lane: Lane, dueAt: number): void {
    lane.dueAt = dueAt;
    if (dueAt !== Infinity && !lane.isReady && lane.newsAt === null) {
      this.#timetable.put(lane);
    }
  }

  #standInLine(lane: Lane): void {
    if (lane.isReady || lane.newsAt !== null) return;
    lane.isReady = true;
    this.#line.push(lane);
  }

  #forgetIfIdle(lane: Lane): void {
    if (lane.inFlight > 0 || lane.dueAt !== Infinity || lane.newsAt !== null || lane.isReady)
      return;
    this.#lanes.delete(nameOf(lane));
  }
}

function newLane(key: LaneKey): Lane {
  const nothing = { dueAt: Infinity, from: Infinity, newsAt: null, newsFrom: Infinity };
  const idle = { inFlight: 0, settled: 0, isReady: false, isAtLimit: false };
  return { ...key, ...nothing, ...idle, place: -1 };
}

function nameOf({ kind, id }: Pick<LaneKey, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
