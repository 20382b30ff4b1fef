import type { Clock } from '#domain/base/clock';
import { type Fields, packRows } from '../database/dialect.ts';

/**
 * A new waiting run is due at most this long before it is written: it is due from now on by some node's clock, and the
 * statement takes less time. Others, put back or written much later, are reported by `note`.
 */
const LATE_MS = 120_000;
/** For runs that a clock that was set back may have hidden. */
const ALL_EVERY_MS = 600_000;

export const FROM = { id: 'id', from_at: 'bigint' } as const satisfies Fields;

/**
 * The last scan found nothing due earlier. Postgres' index keeps entries of runs that have left, and a scan from the
 * beginning would pass all of them.
 */
export class StartingPoints {
  readonly #clock: Clock;
  #heads: ReadonlyMap<string, number> = new Map();
  /** Since the last scan ended; the running scan may not have seen them. */
  #signalled = new Map<string, number>();
  #scannedAt = -Infinity;
  #allAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isAllDue(): boolean {
    return this.#clock.monotonicMs() >= this.#allAtMs;
  }

  /** 0 if unknown. */
  of(id: string): number {
    const known = Math.min(this.#heads.get(id) ?? Infinity, this.#signalled.get(id) ?? Infinity);
    return Math.max(0, Math.min(known, this.#usual()));
  }

  note(id: string, dueAt: number): void {
    // Not with the last scan: the running one may begin much later.
    if (dueAt >= this.#clock.now() - LATE_MS) return;
    this.#signalled.set(id, Math.min(dueAt, this.#signalled.get(id) ?? Infinity));
  }

  forget(): void {
    this.#allAtMs = -Infinity;
  }

  /** Groups with runs that have waited long have a point of their own. */
  pack(): [heads: string, usual: number] {
    const usual = this.#usual();
    const known = merge(this.#heads, this.#signalled);
    const heads = [...known].flatMap(([id, at]) => (at < usual ? [{ id, from_at: at }] : []));
    return [packRows(FROM, heads), usual];
  }

  scanned(heads: ReadonlyMap<string, number>, beganAt: number, all: boolean): void {
    this.#heads = merge(heads, this.#signalled);
    this.#signalled = new Map();
    this.#scannedAt = beganAt;
    if (all) this.#allAtMs = this.#clock.monotonicMs() + ALL_EVERY_MS;
  }

  /** If the clock was set back, new runs are due earlier than the last scan. */
  #usual(): number {
    return Math.min(this.#scannedAt, this.#clock.now()) - LATE_MS;
  }
}

/** The earlier time counts. */
function merge(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const merged = new Map(a);
  for (const [id, at] of b) merged.set(id, Math.min(at, a.get(id) ?? Infinity));
  return merged;
}
