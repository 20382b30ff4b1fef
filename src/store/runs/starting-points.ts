import type { Clock } from '#domain/clock';
import { type Fields, packRows } from '../database/dialect.ts';

/**
 * What comes to wait is due no earlier than this before it comes: it is accepted or moved on from now on, by some
 * node's clock, in a statement that takes less. What is put back, or written long after it happened because the
 * database was away, is told of (`hear`).
 */
const LATE_MS = 120_000;
/** After so long everything is looked through again: for what clocks that were set back may have hidden. */
const ALL_EVERY_MS = 600_000;

export const FROM = { id: 'id', from_at: 'bigint' } as const satisfies Fields;

/**
 * Where a look for the earliest that waits may begin, by queue or team: what was due earlier has left, as the look
 * before has seen. On Postgres its entries stay in the index, a million of them beside a snapshot of last night,
 * and a look from the beginning would go through all.
 */
export class StartingPoints {
  readonly #clock: Clock;
  /** The earliest that waited at the last look, of those where something did. */
  #heads: ReadonlyMap<string, number> = new Map();
  /** What signals have told of since the last look ended: the one under way may not have seen it. */
  #heard = new Map<string, number>();
  #lookedAt = -Infinity;
  #allAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to look through everything. */
  get isAllDue(): boolean {
    return this.#clock.monotonicMs() >= this.#allAtMs;
  }

  /** Nothing that waits in the queue or team is due earlier. 0 where that is not known. */
  of(id: string): number {
    const known = Math.min(this.#heads.get(id) ?? Infinity, this.#heard.get(id) ?? Infinity);
    return Math.max(0, Math.min(known, this.#usual()));
  }

  /** Something in the queue or team is due since then. */
  hear(id: string, dueAt: number): void {
    // Not by the last look: the one under way may begin much later than where that one ended.
    if (dueAt >= this.#clock.now() - LATE_MS) return;
    this.#heard.set(id, Math.min(dueAt, this.#heard.get(id) ?? Infinity));
  }

  /** Word of something may have been lost: the next look goes through everything. */
  distrust(): void {
    this.#allAtMs = -Infinity;
  }

  /** The parameters of a look: one by one where something waited for long, and the point of all others. */
  pack(): [heads: string, usual: number] {
    const usual = this.#usual();
    const known = merge(this.#heads, this.#heard);
    const heads = [...known].flatMap(([id, at]) => (at < usual ? [{ id, from_at: at }] : []));
    return [packRows(FROM, heads), usual];
  }

  /**
   * Remembers what a look has found.
   *
   * @param beganAt  the time before it began
   */
  learn(heads: ReadonlyMap<string, number>, beganAt: number, all: boolean): void {
    this.#heads = merge(heads, this.#heard);
    this.#heard = new Map();
    this.#lookedAt = beganAt;
    if (all) this.#allAtMs = this.#clock.monotonicMs() + ALL_EVERY_MS;
  }

  /** A clock that was set back makes what comes in due earlier. */
  #usual(): number {
    return Math.min(this.#lookedAt, this.#clock.now()) - LATE_MS;
  }
}

/** The earlier of both. */
function merge(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const merged = new Map(a);
  for (const [id, at] of b) merged.set(id, Math.min(at, a.get(id) ?? Infinity));
  return merged;
}
