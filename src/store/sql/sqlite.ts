import { sql } from '../database/sql.ts';
import { type Dialect, type Fields, packRows, type RunText } from '../database/dialect.ts';

async function countFreePages(run: RunText): Promise<number> {
  const [row] = (await run('pragma freelist_count')) as { freelist_count: number }[];
  return row?.freelist_count ?? 0;
}

/** `json_each` would write and read each row as text for each field. */
function unpack(fields: Fields, parameter: number): string {
  const columns = Object.keys(fields).map((name) => `value->>'${name}' as ${name}`);
  return `(select ${columns.join(', ')} from jsonb_each(?${parameter})) as given`;
}

/** Without lateral joins, rows are picked by `rowid`. */
export const sqlite: Dialect = {
  name: 'sqlite',
  writers: 1,
  hasOneNode: true,
  keepsDeadRows: false,
  $: (n) => `?${n}`,
  inOrder: () => '?',
  rows: unpack,
  columns: unpack,
  packColumns: (fields, rows) => [packRows(fields, rows)],
  bytesOf: (column) => `unhex(${column})`,
  least: (...values) => `min(${values.join(', ')})`,
  greatest: (...values) => `max(${values.join(', ')})`,
  contains: (whole, text) => sql`instr(${whole}, ${text}) > 0`,
  containsBytes: (whole, text) => sql`instr(${whole}, cast(${text} as blob)) > 0`,
  before: (text, mark) => `substr(${text}, 1, instr(${text} || '${mark}', '${mark}') - 1)`,
  lock: () => '',
  limitLockWaits: '',
  withoutIndex: (column) => `+${column}`,
  hasKeyOf: (table, other, key = ['team_id', 'id']) =>
    key.map((column) => `${table}.${column} = ${other}.${column}`).join(' and '),
  deleteGiven: (table, key, parameter) => {
    const columns = Object.keys(key).join(', ');
    return `
    delete from ${table} where (${columns}) in (select ${columns} from ${unpack(key, parameter)})`;
  },
  isAmong: (column, ids) =>
    sql`${sql.raw(column)} in (select value from json_each(${JSON.stringify(ids)}))`,
  isAmongFree: (selection) => `id in (${selection})`,
  endedWithin: () => sql`true`,
  unpartitioned: 'ended_jobs',
  isAmongFew: (table, condition, limit) =>
    `rowid in (select rowid from ${table} where ${condition} limit ${limit})`,
  joinPicked: ({ table, as, pick }) =>
    `cross join ${table} ${as} on ${as}.rowid in (${pick('x.rowid')})`,
  joinUpTo: ({ table, condition }) => `cross join ${table} j where ${condition}`,
  findByUrl: ['ended_jobs', 'jobs']
    .map(
      (table) => `select * from (select id from ${table}
        where team_id = ?1 and url <> '' and substr(url, 1, 100) >= ?2 and substr(url, 1, 100) < ?3 limit ?4)`,
    )
    .join(' union all '),
  lastNumberOf: (table) => `(select max(id) from ${table})`,
  giveBackPages: async (run, most) => {
    if ((await countFreePages(run)) === 0) return 0;
    await run(`pragma incremental_vacuum(${Math.floor(most)})`);
    const left = await countFreePages(run);
    // The file shrinks only with a checkpoint, which would come late.
    if (left <= most) await run('pragma wal_checkpoint(passive)');
    return left;
  },
};
