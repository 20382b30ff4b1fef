import type { Log } from '#domain/base/log';
import { EXPIRING, type Expiring, type HistoryDays } from '#store/retention/retention';
import type { Store } from '#store/store';
import type { ClockJumps } from './clock-jumps.ts';
import { Repeating } from '#domain/base/repeating';
import { createShrinking } from './shrinking.ts';

export interface HousekeepingOptions extends Required<HistoryDays> {
  store: Store;
  log: Log;
  clockJumps: ClockJumps;
  /** Null: no limit. */
  historyMaxBytes: number | null;
  /** Of this process's engine. */
  nodeId: () => string;
}

const LOOK_EVERY_MS = 60_000;
const FAILED_PAUSE_MS = 5_000;
/** At least as long as the step took, so half of the database's time is left to others. */
const LEAST_PAUSE_MS = 20;
const PAGES_A_STEP = 500;

/** Deleted even while the clock isn't trusted. */
const TIMELESS: ReadonlySet<Expiring> = new Set(['orphans', 'ofDeletedTeams']);

/** Of a step: its number of rows, and how long it should take. */
interface PaceLimits {
  first: number;
  least: number;
  most: number;
  aimMs: number;
}

/** On SQLite a step blocks the only writer. */
const PACE: Record<Store['dialect'], PaceLimits> = {
  sqlite: { first: 200, least: 20, most: 2_000, aimMs: 20 },
  postgres: { first: 500, least: 50, most: 5_000, aimMs: 100 },
};

/** Chores don't delay each other. */
interface Chore {
  name: string;
  dueAtMs: number;
  /** Adapted to how long steps take. */
  size: number;
  /** Returns true if there is more to do. */
  step(size: number): Promise<boolean>;
}

/** Deletes expired rows (§3.9) and returns their disk space in small steps. Several nodes may do it at once. */
export function keepHouse(options: HousekeepingOptions): Repeating {
  const chores = new Chores(options);
  const { store, log } = options;
  return new Repeating(store.clock, log, 'retention.failed', () => chores.step());
}

class Chores {
  readonly #options: HousekeepingOptions;
  readonly #pace: PaceLimits;
  readonly #chores: Chore[];

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#pace = PACE[options.store.dialect];
    const dueAtMs = options.store.clock.monotonicMs() + LOOK_EVERY_MS;
    const chore = (name: string, step: Chore['step']): Chore => {
      return { name, dueAtMs, size: this.#pace.first, step };
    };
    this.#chores = [
      ...EXPIRING.map((kind) => chore(kind, (size) => this.#deleteSome(kind, size))),
      chore('partitions', () => this.#keepPartitions()),
      chore('freePages', () => this.#giveBackPages()),
    ];
    const { store, log, clockJumps, historyMaxBytes: maxBytes, nodeId } = options;
    if (maxBytes !== null) {
      const shrink = createShrinking({ store, log, maxBytes, nodeId });
      this.#chores.push(
        chore('size', async (size) => !clockJumps.blocksDeletions() && shrink(size)),
      );
    }
  }

  /** Returns the pause until the next chore. */
  async step(): Promise<number> {
    if (this.#idleMs > 0) return this.#idleMs;
    const tookMs = await this.#do(this.#nextChore);
    return Math.max(LEAST_PAUSE_MS, tookMs, this.#idleMs);
  }

  get #idleMs(): number {
    return this.#nextChore.dueAtMs - this.#options.store.clock.monotonicMs();
  }

  get #nextChore(): Chore {
    return this.#chores.reduce((a, b) => (b.dueAtMs < a.dueAtMs ? b : a));
  }

  async #do(chore: Chore): Promise<number> {
    const { store, log } = this.#options;
    const startedAtMs = store.clock.monotonicMs();
    const elapsedMs = () => store.clock.monotonicMs() - startedAtMs;
    let inMs = LOOK_EVERY_MS;
    try {
      // Goes behind the other chores that are due.
      if (await chore.step(chore.size)) {
        inMs = 0;
        chore.size = nextSize(this.#pace, chore.size, elapsedMs());
      }
    } catch (error) {
      const fields = { what: chore.name, error: (error as Error).message };
      log.warn('retention.failed', fields);
      inMs = FAILED_PAUSE_MS;
      chore.size = sizeAfterFailure(this.#pace, chore.size);
    }
    chore.dueAtMs = store.clock.monotonicMs() + inMs;
    return elapsedMs();
  }

  async #deleteSome(kind: Expiring, limit: number): Promise<boolean> {
    const { store, log, clockJumps, ...days } = this.#options;
    if (!TIMELESS.has(kind) && clockJumps.blocksDeletions()) return false;
    const asked = { now: store.clock.now(), ...days, limit };
    const rows = await store.retention.deleteSome(kind, asked);
    if (rows > 0) log.debug('retention.deleted', { what: kind, rows });
    return rows >= limit;
  }

  async #keepPartitions(): Promise<boolean> {
    const { store, log, clockJumps, ...days } = this.#options;
    if (clockJumps.blocksDeletions()) return false;
    const work = await store.retention.keepPartitions(store.clock.now(), days);
    if (work.made + work.dropped > 0) log.info('retention.partitions', { ...work });
    return false;
  }

  async #giveBackPages(): Promise<boolean> {
    return (await this.#options.store.retention.giveBackPages(PAGES_A_STEP)) > PAGES_A_STEP;
  }
}

/** At most twice as large, or smaller by the factor by which the step was too slow. */
export function nextSize({ least, most, aimMs }: PaceLimits, size: number, tookMs: number): number {
  const factor = Math.min(2, aimMs / Math.max(tookMs, 1));
  return Math.round(Math.min(most, Math.max(least, size * factor)));
}

/** It most likely took too long. */
export function sizeAfterFailure({ least }: PaceLimits, size: number): number {
  return Math.max(least, Math.floor(size / 4));
}
