import { sql } from '../database/sql.ts';
import { FAILED_ATTEMPTS } from '../runs/status-lists.ts';
import { type Dialect, type Fields, type FieldType, type RowOf } from '../database/dialect.ts';

export const TYPES: Record<FieldType, string> = {
  id: 'uuid',
  ids: 'uuid[]',
  text: 'text',
  json: 'text',
  int: 'integer',
  bigint: 'bigint',
  bytes: 'text', // sent as hexadecimal, see `packRows`
  place: 'tid',
};

const LOCK_WAIT_MS = 100;
const LIMIT_LOCK_WAITS = `cross join set_config('lock_timeout', '${LOCK_WAIT_MS}ms', true) as lock_timeout`;

/** Each part reads a range of its own index (tables/work.ts). */
function findByUrl(): string {
  const start = '(left(url, 100) collate "C")';
  const part = (
    table: string,
    state: string,
  ) => `(select id from ${table} where team_id = $1 ${state}
    and ${start} >= $2 and ${start} < $3 order by ${start} limit $4)`;
  return `select id from (
    ${part('ended_jobs', `and url <> ''`)}
    union all ${part('jobs', `and status = 'pending' and url <> ''`)}
    union all (select j.id from queues q cross join lateral (
      select x.id from jobs x where x.queue_id = q.id and x.status = 'processing' limit $4) j
      where q.team_id = $1)
  ) as found limit $4`;
}

/** Texts are made storable later. */
function writeArray<F extends Fields>(name: string, fields: F, rows: readonly RowOf<F>[]): string {
  if (fields[name] === 'json') return joinTexts(rows.map((row) => row[name] as string | null));
  const write = fields[name] === 'text' || fields[name] === 'place' ? quote : String;
  const items = rows.map((row): string => {
    const value: unknown = row[name];
    if (value === null || value === undefined) return 'null';
    return value instanceof Uint8Array ? `"${Buffer.from(value).toString('hex')}"` : write(value);
  });
  return `{${items.join()}}`;
}

const quote = (text: unknown) => `"${String(text).replaceAll(/["\\]/g, '\\$&')}"`;

/** Neither can be part of JSON. */
const [SEPARATOR, NOTHING] = ['\x1e', '\x1f'];

/** As array elements, all quotes of JSON would be escaped, which costs more than the rest. */
function joinTexts(texts: readonly (string | null)[]): string {
  return texts.map((text) => text?.replaceAll(SEPARATOR, ' ') ?? NOTHING).join(SEPARATOR);
}

function unpack(fields: Fields, parameter: number): string {
  const columns = Object.entries(fields).map(([name, type]) => `${name} ${TYPES[type]}`);
  return `json_to_recordset($${parameter}::json) as given(${columns.join(', ')})`;
}

/**
 * Prevents a merge join: a table that was analyzed while empty seems to cost one page, however many dead rows its
 * index has. The planner considers a merge only for equal columns, not for these two comparisons.
 *
 * Needs `enable_seqscan = off` (open.ts): the planner assumes that two such comparisons hold for a ninth of the table.
 */
function hasKeyOf(table: string, other: string, key: readonly string[] = ['team_id', 'id']) {
  const [present, wanted] = [table, other].map(
    (alias) => `(${key.map((column) => `${alias}.${column}`).join(', ')})`,
  );
  return `${present} >= ${wanted} and ${present} <= ${wanted}`;
}

export const postgres: Dialect = {
  name: 'postgres',
  writers: 2,
  hasOneNode: false,
  keepsDeadRows: true,
  $: (n, type) => (type === undefined ? `$${n}` : `$${n}::${TYPES[type]}`),
  inOrder: (n) => `$${n}`,
  rows: unpack,
  columns: (fields, first) => {
    const arrays = Object.values(fields).map((type, n) =>
      type === 'json'
        ? `string_to_array($${first + n}, E'\\x1e', E'\\x1f')`
        : `$${first + n}::${TYPES[type]}[]`,
    );
    return `unnest(${arrays.join(', ')}) as given(${Object.keys(fields).join(', ')})`;
  },
  packColumns: (fields, rows) => Object.keys(fields).map((name) => writeArray(name, fields, rows)),
  bytesOf: (column) => `decode(${column}, 'hex')`,
  least: (...values) => `least(${values.join(', ')})`,
  greatest: (...values) => `greatest(${values.join(', ')})`,
  contains: (whole, text) => sql`strpos(${whole}, ${text}) > 0`,
  containsBytes: (whole, text) => sql`position(convert_to(${text}, 'UTF8') in ${whole}) > 0`,
  before: (text, mark) => `split_part(${text}, '${mark}', 1)`,
  lock: (clause) => clause,
  limitLockWaits: LIMIT_LOCK_WAITS,
  withoutIndex: (column) => `${column} || ''`,
  hasKeyOf,
  deleteGiven: (table, key, parameter, lockWaits) => `
    delete from ${table} using ${unpack(key, parameter)} ${lockWaits === 'limited' ? LIMIT_LOCK_WAITS : ''}
    where ${hasKeyOf(table, 'given', Object.keys(key))}`,
  isAmong: (column, ids) => sql`${sql.raw(column)} = any(${`{${ids.join()}}`}::uuid[])`,
  // An array first: inside a join the selection may run again, take other rows, and exceed its limit.
  isAmongFree: (selection) => `id = any(array(${selection} for update skip locked))`,
  // Only successes are partitioned by time. A time for both would prune nothing.
  endedWithin: (jobs, { from, to }) => {
    const [status, at] = [sql.raw(`${jobs}.status`), sql.raw(`${jobs}.completed_at`)];
    return sql`(${status} = 'success' and ${at} between ${from} and ${to}
      or ${status} in ${sql.raw(FAILED_ATTEMPTS)})`;
  },
  unpartitioned: 'ended_jobs_rest',
  isAmongFew: (table, condition, limit) =>
    `ctid = any(array(select ctid from ${table} where ${condition} limit ${limit}))`,
  joinPicked: ({ as, columns, pick }) =>
    `cross join lateral (${pick(columns.map((name) => `x.${name}`).join(', '))}) as ${as}`,
  joinUpTo: ({ table, columns, condition, order, limit }) => `cross join lateral (
    select ${columns} from ${table} j where ${condition}
    ${order === undefined ? '' : `order by ${order}`} limit ${limit}) as j`,
  findByUrl: findByUrl(),
  lastNumberOf: (table) => `(select last_value from ${table}_id_seq)`,
  giveBackPages: async () => 0,
};
