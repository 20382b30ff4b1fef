import type { Clock } from '#domain/clock';
import { type Fields, packRows } from '../database/dialect.ts';

/**
 * A new waiting job or run is due at most this long before it is written: it is due from now on by some node's clock,
 * and the statement takes less time. Ones that are put back, or written much later because the database was away, are
 * reported by `note`.
 */
const LATE_MS = 120_000;
/** After this time everything is scanned again, for runs that a clock that was set back may have hidden. */
const ALL_EVERY_MS = 600_000;

export const FROM = { id: 'id', from_at: 'bigint' } as const satisfies Fields;

/**
 * The times from which scans for waiting runs may begin, by queue or team. The last scan has found nothing that was due
 * earlier. On Postgres the index keeps entries of runs that have left, with last night's snapshot a million, and a scan
 * from the beginning would have to pass all of them.
 */
export class StartingPoints {
  readonly #clock: Clock;
  /** The earliest due time at the last scan, of flows where something waited. */
  #heads: ReadonlyMap<string, number> = new Map();
  /** The due times reported by signals since the last scan ended; the scan under way may not have seen them. */
  #signalled = new Map<string, number>();
  #scannedAt = -Infinity;
  #allAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the next scan has to read everything. */
  get isAllDue(): boolean {
    return this.#clock.monotonicMs() >= this.#allAtMs;
  }

  /** The time before which nothing waiting in the queue or team is due; 0 if unknown. */
  of(id: string): number {
    const known = Math.min(this.#heads.get(id) ?? Infinity, this.#signalled.get(id) ?? Infinity);
    return Math.max(0, Math.min(known, this.#usual()));
  }

  /** Notes that something in the queue or team is due from this time on. */
  note(id: string, dueAt: number): void {
    // Compared with the present time and not with the last scan: the one under way may begin at a much later time than
    // that.
    if (dueAt >= this.#clock.now() - LATE_MS) return;
    this.#signalled.set(id, Math.min(dueAt, this.#signalled.get(id) ?? Infinity));
  }

  /** Signals may have been lost: the next scan reads everything. */
  forget(): void {
    this.#allAtMs = -Infinity;
  }

  /**
   * The parameters of a scan: single points of flows where something has waited for long, and one point for all others.
   */
  pack(): [heads: string, usual: number] {
    const usual = this.#usual();
    const known = merge(this.#heads, this.#signalled);
    const heads = [...known].flatMap(([id, at]) => (at < usual ? [{ id, from_at: at }] : []));
    return [packRows(FROM, heads), usual];
  }

  /**
   * Remembers the result of a scan.
   *
   * @param beganAt  a time before it began
   */
  scanned(heads: ReadonlyMap<string, number>, beganAt: number, all: boolean): void {
    this.#heads = merge(heads, this.#signalled);
    this.#signalled = new Map();
    this.#scannedAt = beganAt;
    if (all) this.#allAtMs = this.#clock.monotonicMs() + ALL_EVERY_MS;
  }

  /**
   * The point of flows without one of their own. If the clock was set back, new runs are due earlier than the last
   * scan.
   */
  #usual(): number {
    return Math.min(this.#scannedAt, this.#clock.now()) - LATE_MS;
  }
}

/** Merges two maps; the earlier time counts. */
function merge(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const merged = new Map(a);
  for (const [id, at] of b) merged.set(id, Math.min(at, a.get(id) ?? Infinity));
  return merged;
}
