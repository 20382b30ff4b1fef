import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { StoreError } from '../database/errors.ts';

/** An index on a table that may be large when the index comes. */
export interface IndexStep {
  name: string;
  table: string;
  /** What stands behind the table's name: columns, condition. */
  definition: string;
  /** How many columns and expressions that is: an index of the same name with another number is an earlier one. */
  columns: number;
  /** One of an earlier version that this one stands in for; it is dropped once this one is there. */
  replaces?: string;
}

export interface FoundIndex {
  name: string;
  /** False for what an interrupted build has left, or what is being built just now. */
  isValid: boolean;
  columns: number;
}

export type IndexAction =
  | { kind: 'build'; as: string }
  | { kind: 'drop'; name: string }
  | { kind: 'rename'; from: string; to: string };

/** Told as an index begins and has been built, and where another process is at it first. */
export type OnIndex = (
  event: 'index-building' | 'index-built' | 'index-awaited',
  index?: string,
) => void;

/**
 * What makes a table's index what it should be, whatever an interrupted start has left. One that changes is built
 * under another name first, so that there is always one that serves.
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
 * Builds what is missing while others go on writing: `concurrently`, outside any transaction. Killed amid it, the
 * next start goes on. Several processes that start at once take turns.
 *
 * @param db  on connections without limits of time: building waits for every transaction that began before
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

/** A number that nobody else in this database takes: each installation in it, with a schema of its own, has one. */
const TURN = sql`hashtextextended('belfry indexes ' || current_schema(), 0)`;
const ASK_EVERY_MS = 500;

/**
 * Asks again and again, since whoever waited inside a statement would hold a snapshot, and the build that is under
 * way waits for all of those to end. By the machine's own time: what is waited for is another process.
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

/** The table of a new installation, or about as small. */
const SMALL_BYTES = 8 * 1024 * 1024;
const LOCKED_OUT_MS = 2_000;

/**
 * A small table is indexed in milliseconds, holding up writes for no longer; and that waits for nobody's old snapshot,
 * so that a start on a new database does not hang on a `pg_dump` of another one's schema. False where the table is
 * large, or somebody's transaction has written to it: whoever waited for that would hold up everybody behind.
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
    if (error instanceof StoreError && error.code === 'STORE_UNAVAILABLE' && error.wroteNothing) {
      return false;
    }
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
