import { FaultLog } from '#domain/base/fault-log';
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

const FAILED = 'retention.failed';
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
  faults: FaultLog;
  /** Returns true if there is more to do. */
  step(size: number): Promise<boolean>;
}

/** Deletes expired rows (§3.9) and returns their disk space in small steps. Several nodes may do it at once. */
export function keepHouse(options: HousekeepingOptions): Repeating {
  const { store, log } = options;
  const { clock } = store;
  const { first: size } = PACE[store.dialect];
  const dueAtMs = clock.monotonicMs() + LOOK_EVERY_MS;
  const chores = Object.entries(stepsOf(options)).map(([name, step]): Chore => {
    return { name, dueAtMs, size, faults: new FaultLog(clock, log, FAILED), step };
  });
  const findNext = () => chores.reduce((a, b) => (b.dueAtMs < a.dueAtMs ? b : a));
  const idleMs = () => findNext().dueAtMs - clock.monotonicMs();
  return new Repeating(clock, log, FAILED, async () => {
    const waitMs = idleMs();
    if (waitMs > 0) return waitMs;
    const tookMs = await carryOut(findNext(), store);
    return Math.max(LEAST_PAUSE_MS, tookMs, idleMs());
  });
}

function stepsOf({
  store,
  log,
  clockJumps,
  historyMaxBytes: maxBytes,
  nodeId,
  ...days
}: HousekeepingOptions): Record<string, Chore['step']> {
  const { clock, retention } = store;
  const deletions = EXPIRING.map((kind) => {
    const step = async (limit: number) => {
      if (!TIMELESS.has(kind) && clockJumps.blocksDeletions()) return false;
      const rows = await retention.deleteSome(kind, { now: clock.now(), ...days, limit });
      if (rows > 0) log.debug('retention.deleted', { what: kind, rows });
      return rows >= limit;
    };
    return [kind, step] as const;
  });
  const shrink = maxBytes === null ? null : createShrinking({ store, log, maxBytes, nodeId });
  return {
    ...Object.fromEntries(deletions),
    partitions: async () => {
      if (clockJumps.blocksDeletions()) return false;
      const work = await retention.keepPartitions(clock.now(), days);
      if (work.made + work.dropped > 0) log.info('retention.partitions', { ...work });
      return false;
    },
    freePages: async () => (await retention.giveBackPages(PAGES_A_STEP)) > PAGES_A_STEP,
    ...(shrink && { size: async (limit) => !clockJumps.blocksDeletions() && shrink(limit) }),
  };
}

/** @returns how long it took */
async function carryOut(chore: Chore, { clock, dialect }: Store): Promise<number> {
  const startedAtMs = clock.monotonicMs();
  const elapsedMs = () => clock.monotonicMs() - startedAtMs;
  const pace = PACE[dialect];
  let inMs = LOOK_EVERY_MS;
  try {
    // Goes behind the other chores that are due.
    if (await chore.step(chore.size)) {
      inMs = 0;
      chore.size = nextSize(pace, chore.size, elapsedMs());
    }
    chore.faults.worked({ what: chore.name });
  } catch (error) {
    chore.faults.failed(error, { what: chore.name });
    inMs = FAILED_PAUSE_MS;
    chore.size = sizeAfterFailure(pace, chore.size);
  }
  chore.dueAtMs = clock.monotonicMs() + inMs;
  return elapsedMs();
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
