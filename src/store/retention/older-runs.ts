import type { Database, Trx } from '../database/database.ts';
import { deleteRuns, type RunKey } from './delete-runs.ts';
import { type Dialect, packRows } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import {
  ENDED_TABLE,
  KEPT_COLUMNS,
  KEY,
  ofEachTable,
  OUTCOME_COLUMNS,
  type RunTable,
} from '../runs/run-tables.ts';

/**
 * Runs that a version before 0009 has ended. They are still in the tables of running ones, with their responses in a
 * table of their own. A start moves them. Later, housekeeping moves those that older nodes end beside newer ones.
 */

const OF_RESPONSE: ReadonlySet<string> = new Set(['total_bytes', 'trace', 'body']);

function findOlder(name: string, limit: (dialect: Dialect) => string) {
  return ofEachTable((table) =>
    preparedStatement<RunKey>(
      `${name}-${table}`,
      (dialect) => `
    select team_id, id from ${table} where completed_at is not null
    ${table === 'jobs' ? 'order by queue_id, status, completed_at' : 'order by completed_at'}
    limit ${limit(dialect)}`,
    ),
  );
}

const findOne = findOlder('find-first-older', () => '1');

/** Parameters: 1 how many. Rows that another node is moving are left to it. */
const holdSome = findOlder(
  'find-older',
  ({ $, lock }) => `${$(1)} ${lock('for update skip locked')}`,
);

function movedColumns(table: RunTable) {
  const ofRun = table === 'jobs' ? (['retried_as'] as const) : [];
  return [...KEPT_COLUMNS[table], ...ofRun, ...OUTCOME_COLUMNS];
}

const copySome = ofEachTable((table) =>
  preparedStatement<never>(`copy-older-${table}`, (dialect) => {
    const columns = movedColumns(table);
    const values = columns.map((name) => (OF_RESPONSE.has(name) ? `r.${name}` : `x.${name}`));
    return `
    insert into ${ENDED_TABLE[table]} (${columns.join(', ')})
    select ${columns.join(', ')} from (
      select ${values.join(', ')} from ${dialect.rows(KEY, 1)}
      cross join ${table} x left join responses r on r.team_id = x.team_id and r.run_id = x.id
      where x.team_id = given.team_id and x.id = given.id) as moved`;
  }),
);

const deleteResponses = preparedStatement<never>(
  'delete-older-responses',
  (dialect) => `
  delete from responses where (team_id, run_id) in (
    select team_id, id from ${dialect.rows(KEY, 1)})`,
);

async function moveSome(
  trx: Trx,
  dialect: Dialect,
  table: RunTable,
  limit: number,
): Promise<number> {
  const keys = await runPrepared(trx, dialect, holdSome[table], [limit]);
  if (keys.length === 0) return 0;
  const packed = [packRows(KEY, keys)];
  await runPrepared(trx, dialect, copySome[table], packed);
  await runPrepared(trx, dialect, deleteResponses, packed);
  await deleteRuns(trx, dialect, table, keys);
  return keys.length;
}

/**
 * Moves some runs, in one transaction per table that has any. Usually none has, and then nothing is written.
 *
 * @returns how many; 0 where none are left
 */
export async function moveOlderRuns(db: Database, limit: number): Promise<number> {
  let moved = 0;
  for (const table of ['jobs', 'executions'] as const) {
    const first = await db.read((reader) => runPrepared(reader, db.dialect, findOne[table], []));
    if (first.length === 0) continue;
    moved += await db.transact((trx) => moveSome(trx, db.dialect, table, limit));
  }
  return moved;
}

const countOlder = preparedStatement<{ number: number }>(
  'count-older-runs',
  () => `
  select (select count(*) from jobs where completed_at is not null)
    + (select count(*) from executions where completed_at is not null) as number`,
);

/** Counts the runs to move. The cost grows with their number. */
export async function countOlderRuns(db: Database): Promise<number> {
  const [row] = await db.read((reader) => runPrepared(reader, db.dialect, countOlder, []));
  return row?.number ?? 0;
}
