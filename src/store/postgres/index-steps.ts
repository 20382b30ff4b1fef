import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { wasLockedOut } from '../database/errors.ts';

/** An index on a table that may be large when the index comes. */
export interface IndexStep {
  name: string;
  table: string;
  /** The part of the statement after the table's name: columns and condition. */
  definition: string;
  /** The number of columns and expressions. An index of the same name with another number is of an earlier version. */
  columns: number;
  /** The name of an index of an earlier version that this one replaces. It is dropped once this one is built. */
  replaces?: string;
}

export interface FoundIndex {
  name: string;
  /** False for an index that an interrupted build has left, or that is being built now. */
  isValid: boolean;
  columns: number;
}

export type IndexAction =
  | { kind: 'build'; as: string }
  | { kind: 'drop'; name: string }
  | { kind: 'rename'; from: string; to: string };

/**
 * Called when a build begins and ends, when another process is building first, and when a table that a migration changes
 * is held by others.
 */
export type OnIndex = (
  event: 'index-building' | 'index-built' | 'index-awaited' | 'table-awaited',
  index?: string,
) => void;

/**
 * Plans the steps that bring a table's index into its wanted form, whatever an interrupted start has left. A changed
 * index is built under another name first, so that there is always a usable one.
 */
export function planIndex(step: IndexStep, found: readonly FoundIndex[]): IndexAction[] {
  const spare = `${step.name}_new`;
  const isDone = (index: FoundIndex | undefined) =>
    index !== undefined && index.isValid && index.columns === step.columns;
  const present = found.find(({ name }) => name === step.name);
  const next = found.find(({ name }) => name === spare);
  const dropNext: IndexAction[] = next ? [{ kind: 'drop', name: spare }] : [];
  const dropPresent: IndexAction[] = present ? [{ kind: 'drop', name: step.name }] : [];
  const replaced = found.filter(({ name }) => name === step.replaces);
  const dropReplaced = replaced.map(({ name }): IndexAction => ({ kind: 'drop', name }));
  if (isDone(present)) return [...dropNext, ...dropReplaced];
  const rename: IndexAction = { kind: 'rename', from: spare, to: step.name };
  if (isDone(next)) return [...dropPresent, rename, ...dropReplaced];
  const build = (as: string): IndexAction => ({ kind: 'build', as });
  if (!present?.isValid) return [...dropNext, ...dropPresent, build(step.name), ...dropReplaced];
  return [...dropNext, build(spare), ...dropPresent, rename, ...dropReplaced];
}

/**
 * Builds missing indexes while others write: `concurrently`, outside of transactions. If a build is interrupted, the
 * next start continues. Processes that start at the same time take turns.
 *
 * @param db  connections without time limits: a build waits for every transaction that began before it
 */
export async function buildIndexes(
  db: Kysely<never>,
  steps: readonly IndexStep[],
  onIndex: OnIndex,
): Promise<void> {
  if (await areBuilt(db, steps)) return;
  await db.connection().execute(async (one) => {
    await takeTurn(one, onIndex);
    try {
      for (const step of steps) await build(one, step, onIndex);
    } finally {
      await sql`select pg_advisory_unlock(${TURN})`.execute(one);
    }
  });
}

export async function areBuilt(db: Kysely<never>, steps: readonly IndexStep[]): Promise<boolean> {
  const found = await findIndexes(db, steps);
  return steps.every((step) => planIndex(step, found).length === 0);
}

/** The key of the advisory lock, which differs for each installation (schema) in a database. */
const TURN = sql`hashtextextended('belfry indexes ' || current_schema(), 0)`;
const ASK_EVERY_MS = 500;

/**
 * Waits for the lock by trying again and again. A wait inside a statement would hold a snapshot, for whose end the
 * build under way waits. It uses the machine's own time, since it waits for another process.
 */
async function takeTurn(db: Kysely<never>, onIndex: OnIndex): Promise<void> {
  for (let tries = 0; ; tries++) {
    const ask = sql<{ taken: boolean }>`select pg_try_advisory_lock(${TURN}) as taken`;
    if ((await ask.execute(db)).rows[0]?.taken === true) return;
    if (tries === 0) onIndex('index-awaited');
    await delay(ASK_EVERY_MS);
  }
}

async function build(db: Kysely<never>, step: IndexStep, onIndex: OnIndex): Promise<void> {
  const actions = planIndex(step, await findIndexes(db, [step]));
  if (actions.length === 0) return;
  onIndex('index-building', step.name);
  for (const action of actions) {
    const isDone = action.kind === 'build' && (await buildAtOnce(db, step, action.as));
    if (!isDone) await sql.raw(textOf(step, action)).execute(db);
  }
  onIndex('index-built', step.name);
}

/** A table up to this size is small. */
const SMALL_BYTES = 8 * 1024 * 1024;
/** For how long a change of a table may wait for it: all that others ask of the table waits behind. */
export const LOCKED_OUT_MS = 2_000;

/**
 * Builds an index on a small table without `concurrently`: it blocks writes only for milliseconds, and waits for no old
 * snapshot, so a start on a new database does not hang on a `pg_dump` of another schema. False where the table is
 * large, or a transaction has written to it: waiting for that would block all later statements on the table.
 */
async function buildAtOnce(db: Kysely<never>, step: IndexStep, as: string): Promise<boolean> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_relation_size(to_regclass(${step.table})) as bytes`.execute(db);
  if ((rows[0]?.bytes ?? Infinity) > SMALL_BYTES) return false;
  await sql.raw(`set lock_timeout = ${LOCKED_OUT_MS}`).execute(db);
  try {
    await sql.raw(`create index "${as}" on "${step.table}" ${step.definition}`).execute(db);
    return true;
  } catch (error) {
    if (wasLockedOut(error)) return false;
    throw error;
  } finally {
    await sql.raw('set lock_timeout = 0').execute(db);
  }
}

function textOf({ table, definition }: IndexStep, action: IndexAction): string {
  if (action.kind === 'drop') return `drop index concurrently "${action.name}"`;
  if (action.kind === 'rename') return `alter index "${action.from}" rename to "${action.to}"`;
  return `create index concurrently "${action.as}" on "${table}" ${definition}`;
}

async function findIndexes(db: Kysely<never>, steps: readonly IndexStep[]): Promise<FoundIndex[]> {
  const names = steps.flatMap(({ name, replaces }) => [name, `${name}_new`, replaces ?? name]);
  const { rows } = await sql<{ name: string; is_valid: boolean; columns: number }>`
    select c.relname as name, i.indisvalid as is_valid, i.indnatts::int as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relname = any(${names}) and pg_table_is_visible(c.oid)`.execute(db);
  return rows.map(({ name, is_valid, columns }) => ({ name, isValid: is_valid, columns }));
}
