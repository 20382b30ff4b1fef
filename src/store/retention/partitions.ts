import type { Database, Reader, Trx } from '../database/database.ts';
import { DAY_MS } from '#domain/base/instant';
import { sql } from '../database/sql.ts';

/**
 * Successful jobs are in partitions of some days, made ahead and dropped whole. A success whose time has none goes
 * into `ended_jobs_rest`.
 */

const PARENT = 'ended_jobs';
/** Few, because a page may have to search all. */
const PARTS_OF_HISTORY = 6;
const AHEAD = 2;
/** Later statements on the table wait behind it. */
const LOCKED_OUT_MS = 500;

/** Days since 1970, UTC; `to` is exclusive. */
export interface Span {
  from: number;
  to: number;
}

export function daysOfPartition(historyDays: number): number {
  return Math.ceil(historyDays / PARTS_OF_HISTORY);
}

/**
 * Missing ones after the last. A partition must not overlap another, nor a time of jobs in `ended_jobs_rest`.
 * @param lastOfRest the latest end there
 */
export function spansToMake(
  existing: readonly Span[],
  { now, historyDays, lastOfRest }: { now: number; historyDays: number; lastOfRest: number | null },
): Span[] {
  const days = daysOfPartition(historyDays);
  const today = Math.floor(now / DAY_MS);
  const until = today + 1 + AHEAD * days;
  const behindRest = lastOfRest === null ? 0 : Math.floor(lastOfRest / DAY_MS) + 1;
  let from = Math.max(today - historyDays, behindRest, ...existing.map(({ to }) => to));
  const spans: Span[] = [];
  while (from < until) {
    spans.push({ from, to: from + days });
    from += days;
  }
  return spans;
}

function spansToDrop(existing: readonly Span[], now: number, historyDays: number): Span[] {
  return existing.filter(({ to }) => to * DAY_MS <= now - historyDays * DAY_MS);
}

/** Milliseconds from now without a gap; 0 if jobs go into `ended_jobs_rest`. */
export function coveredMs(existing: readonly Span[], now: number): number {
  let until = now;
  for (const { from, to } of existing.toSorted((a, b) => a.from - b.from)) {
    if (from * DAY_MS <= until && until < to * DAY_MS) until = to * DAY_MS;
  }
  return until - now;
}

function nameOf({ from, to }: Span): string {
  return `ended_jobs_${from}_${to}`;
}

/** A locked one is left to the next round. */
export interface PartitionWork {
  made: number;
  dropped: number;
}

export const PARTITIONS = {
  postgres: {
    keep: keepPartitions,
    dropUntil: async (db: Database, until: number): Promise<number> =>
      dropAll(db, spansToDrop(await db.read(readSpans), until, 0)),
    aheadMs: async (db: Database, now: number): Promise<number | null> =>
      coveredMs(await db.read(readSpans), now),
  },
  sqlite: {
    keep: async (): Promise<PartitionWork> => ({ made: 0, dropped: 0 }),
    dropUntil: async (): Promise<number> => 0,
    aheadMs: async (): Promise<number | null> => null,
  },
};

/** A change that another node is making is left to it. */
async function keepPartitions(
  db: Database,
  now: number,
  historyDays: number,
): Promise<PartitionWork> {
  const existing = await db.read(readSpans);
  const missing = await findMissing(db, existing, now, historyDays);
  const past = spansToDrop(existing, now, historyDays);
  let made = 0;
  for (const span of missing) if (await change(db, (trx) => make(trx, span))) made++;
  return { made, dropped: await dropAll(db, past) };
}

async function dropAll(db: Database, spans: readonly Span[]): Promise<number> {
  let dropped = 0;
  for (const span of spans) if (await change(db, (trx) => drop(trx, span))) dropped++;
  return dropped;
}

async function findMissing(
  db: Database,
  existing: readonly Span[],
  now: number,
  historyDays: number,
): Promise<Span[]> {
  const wanted = spansToMake(existing, { now, historyDays, lastOfRest: null });
  if (wanted.length === 0) return wanted;
  const [rest] = await db.ask(sql<{ last: number | null }>`
    select max(completed_at) as last from ended_jobs_rest`);
  return spansToMake(existing, { now, historyDays, lastOfRest: rest?.last ?? null });
}

export async function readSpans(reader: Reader): Promise<Span[]> {
  return findSpans(async (text) => (await reader.run(text)).rows);
}

const FIND_SPANS = `
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass('${PARENT}')`;

export async function findSpans(
  ask: (text: string) => Promise<readonly unknown[]>,
): Promise<Span[]> {
  const rows = (await ask(FIND_SPANS)) as readonly { name: string }[];
  return rows.flatMap(({ name }) => {
    const [, from, to] = /^ended_jobs_(\d+)_(\d+)$/.exec(name) ?? [];
    return from === undefined ? [] : [{ from: Number(from), to: Number(to) }];
  });
}

/** False if another node is making one, or has made it. */
async function change(db: Database, work: (trx: Trx) => Promise<boolean>): Promise<boolean> {
  return db.transact(async (trx) => {
    await trx.run(`set local lock_timeout = ${LOCKED_OUT_MS}`);
    const [lock] = await trx.ask(sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('belfry partitions ' || current_schema(), 0)) as taken`);
    return lock?.taken === true && work(trx);
  });
}

/**
 * Attached afterwards, so others can be written meanwhile.
 * @returns false if another node has made an overlapping one
 */
async function make(trx: Trx, span: Span): Promise<boolean> {
  const existing = await readSpans(trx);
  if (existing.some(({ from, to }) => from < span.to && span.from < to)) return false;
  const name = nameOf(span);
  const [from, to] = [span.from * DAY_MS, span.to * DAY_MS];
  await trx.run(`create table if not exists "${name}" (like ${PARENT} including all)`);
  await trx.run(`alter table ${PARENT} attach partition "${name}"
    for values from ('success', ${from}) to ('success', ${to})`);
  return true;
}

async function drop(trx: Trx, span: Span): Promise<boolean> {
  const existing = await readSpans(trx);
  if (!existing.some((each) => nameOf(each) === nameOf(span))) return false;
  await trx.run(`drop table "${nameOf(span)}"`);
  return true;
}
