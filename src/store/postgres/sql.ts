import { sql } from 'kysely';
import { type Dialect, type Fields, type FieldType, type RowOf } from '../database/dialect.ts';

export const TYPES: Record<FieldType, string> = {
  id: 'uuid',
  ids: 'uuid[]',
  text: 'text',
  int: 'integer',
  bigint: 'bigint',
  bytes: 'text', // sent as hexadecimal, see `packRows`
};

/** How long a statement for several teams waits for a locked row. */
const PATIENCE_MS = 100;

/** Each part reads a range of its own index (see migrations/0009-ended-runs.ts and postgres-indexes.ts). */
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
    union all (select j.id from queues q join jobs j on j.queue_id = q.id
      where q.team_id = $1 and j.status = 'processing')
  ) as found limit $4`;
}

/** One column as the text of an array. Texts are made storable later, like any other (`storableParameters`). */
function writeArray<F extends Fields>(name: string, fields: F, rows: readonly RowOf<F>[]): string {
  const write = fields[name] === 'text' ? quote : String;
  const items = rows.map((row): string => {
    const value: unknown = row[name];
    if (value === null || value === undefined) return 'null';
    return value instanceof Uint8Array ? `"${Buffer.from(value).toString('hex')}"` : write(value);
  });
  return `{${items.join()}}`;
}

const quote = (text: unknown) => `"${String(text).replaceAll(/["\\]/g, '\\$&')}"`;

/** The texts for Postgres. */
export const postgres: Dialect = {
  name: 'postgres',
  isShared: true,
  $: (n, type) => (type === undefined ? `$${n}` : `$${n}::${TYPES[type]}`),
  rows: (fields, parameter) => {
    const columns = Object.entries(fields).map(([name, type]) => `${name} ${TYPES[type]}`);
    return `json_to_recordset($${parameter}::json) as given(${columns.join(', ')})`;
  },
  columns: (fields, first) => {
    const arrays = Object.values(fields).map((type, n) => `$${first + n}::${TYPES[type]}[]`);
    return `unnest(${arrays.join(', ')}) as given(${Object.keys(fields).join(', ')})`;
  },
  packColumns: (fields, rows) => Object.keys(fields).map((name) => writeArray(name, fields, rows)),
  bytesOf: (column) => `decode(${column}, 'hex')`,
  least: (...values) => `least(${values.join(', ')})`,
  greatest: (...values) => `greatest(${values.join(', ')})`,
  holds: (whole, text) => sql`strpos(${whole}, ${text}) > 0`,
  holdsBytes: (whole, text) => sql`position(convert_to(${text}, 'UTF8') in ${whole}) > 0`,
  before: (text, mark) => `split_part(${text}, '${mark}', 1)`,
  lock: (clause) => clause,
  briefly: `cross join set_config('lock_timeout', '${PATIENCE_MS}ms', true) as patience`,
  unindexed: (column) => `${column} || ''`,
  isAmong: (column, ids) => sql`${sql.ref(column)} = any(${`{${ids.join()}}`}::uuid[])`,
  // An array first: inside a join the selection may run again and again, take other rows each time, and exceed its
  // limit.
  isAmongFree: (selection) => `id = any(array(${selection} for update skip locked))`,
  unpartitioned: 'ended_jobs_rest',
  isAmongFew: (table, condition, limit) =>
    `ctid = any(array(select ctid from ${table} where ${condition} limit ${limit}))`,
  joinPicked: ({ as, columns, pick }) =>
    `cross join lateral (${pick(columns.map((name) => `x.${name}`).join(', '))}) as ${as}`,
  joinUpTo: ({ table, columns, condition, order, limit }) => `cross join lateral (
    select ${columns} from ${table} j where ${condition}
    ${order === undefined ? '' : `order by ${order}`} limit ${limit}) as j`,
  findByUrl: findByUrl(),
  giveBackPages: async () => 0,
};
