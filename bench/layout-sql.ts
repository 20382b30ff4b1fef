/** Layouts of tables for waiting, running and ended runs, as plain SQL for Postgres, which layouts.ts compares. */
import type { Fields } from '#store/database/dialect';

export interface Layout {
  name: string;
  /**
   * What a claim does to a row of the narrow table: `mark` writes its node into it, which moves it from one partial
   * index to another; `mark-in-place` the same with one index over all rows, so that the update stays on its page;
   * `take` deletes it and writes one row for the whole claim.
   */
  claim: 'mark' | 'mark-in-place' | 'take';
  /** True: outcomes are partitioned by ranges of ids. */
  partitioned: boolean;
  /** Whether parameters are one JSON text, or one array per column. */
  parameters: 'json' | 'arrays';
  /** True: one statement settles a batch and claims the next one. */
  joined: boolean;
  /** True: deletes finished runs and stores nothing else: no request, outcome or counter. */
  keepsNothing: boolean;
}

export const ACCEPTED = {
  team_id: 'id',
  id: 'id',
  queue: 'text',
  method: 'text',
  url: 'text',
  callback_url: 'text',
  created_at: 'bigint',
  due_at: 'bigint',
  sealed_headers: 'text',
  payload: 'text',
} as const satisfies Fields;

export const ENDED = {
  team_id: 'id',
  id: 'id',
  status: 'text',
  completed_at: 'bigint',
  response_status: 'int',
  reason: 'text',
  error_message: 'text',
  duration_ms: 'int',
  total_bytes: 'bigint',
  trace: 'text',
  body: 'bytes',
  // The columns of the row that a deleting claim writes.
  claim_id: 'id',
  request_id: 'id',
  attempt_number: 'int',
  queue_id: 'id',
  due_at: 'bigint',
  started_at: 'bigint',
} as const satisfies Fields;

const TYPES = {
  id: 'uuid',
  ids: 'uuid[]',
  text: 'text',
  json: 'text',
  int: 'integer',
  bigint: 'bigint',
  bytes: 'bytea',
};

/** The number of parameters for rows of these fields. */
export function widthOf({ parameters }: Layout, fields: Fields): number {
  return parameters === 'json' ? 1 : Object.keys(fields).length;
}

function given(layout: Layout, fields: Fields, first: number): string {
  const names = Object.keys(fields);
  const typeOf = (name: string) => TYPES[fields[name] ?? 'text'];
  if (layout.parameters === 'json') {
    // Bytes are sent as hexadecimal.
    const columns = names.map((name) => `${name} ${typeOf(name).replace('bytea', 'text')}`);
    return `json_to_recordset($${first}::json) as given(${columns.join(', ')})`;
  }
  const arrays = names.map((name, n) => `$${first + n}::${typeOf(name)}[]`);
  return `unnest(${arrays.join(', ')}) as given(${names.join(', ')})`;
}

export function schemaOf(layout: Layout): string[] {
  const { claim, partitioned, keepsNothing } = layout;
  const request = `method text not null, url text not null, callback_url text, sealed_headers text, payload text`;
  const waiting = claim === 'mark' ? 'where claimed_by is null' : '';
  return [
    `create table todo (team_id uuid not null, id uuid not null, request_id uuid not null,
       attempt_number int not null, queue_id uuid not null, due_at bigint not null,
       claimed_by uuid, started_at bigint ${keepsNothing ? `, ${request}` : ''},
       primary key (team_id, id)) with (fillfactor = ${claim === 'mark-in-place' ? 50 : 100})`,
    `create index todo_waiting on todo (queue_id, due_at, id) ${waiting}`,
    ...(claim === 'mark'
      ? ['create index todo_running on todo (queue_id, started_at) where claimed_by is not null']
      : []),
    `create table requests (team_id uuid not null, id uuid not null, created_at bigint not null,
       ${request}, primary key (team_id, id))`,
    `create index requests_by_url on requests (team_id, (left(url, 100) collate "C"))`,
    `create table outcomes (team_id uuid not null, id uuid not null, request_id uuid not null,
       attempt_number int not null, queue_id uuid not null, status text not null, due_at bigint not null,
       started_at bigint not null, completed_at bigint not null, response_status int, reason text,
       error_message text, duration_ms int, total_bytes bigint, trace text, body bytea,
       primary key (team_id, id)) ${partitioned ? 'partition by range (id)' : ''}`,
    ...(partitioned ? partitions() : []),
    'create index outcomes_finished on outcomes (queue_id, status, completed_at, id)',
    `create table claims (id uuid primary key, node_id uuid not null, started_at bigint not null,
       open int not null, ids uuid[] not null) with (fillfactor = 50)`,
  ];
}

const DAY_MS = 86_400_000;
const PARTITIONS = 32;

/** One partition for each day of the past month and for tomorrow, and one for all other days. */
function partitions(): string[] {
  const today = Date.now() - (Date.now() % DAY_MS);
  const boundary = (at: number) => {
    const hex = at.toString(16).padStart(12, '0');
    return `'${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000'`;
  };
  const days = Array.from({ length: PARTITIONS }, (_, n) => today + (2 - PARTITIONS + n) * DAY_MS);
  return [
    ...days.map((from, n) => {
      const range = `from (${boundary(from)}) to (${boundary(from + DAY_MS)})`;
      return `create table outcomes_${n} partition of outcomes for values ${range}`;
    }),
    'create table outcomes_else partition of outcomes default',
  ];
}

export function acceptSql(layout: Layout): string {
  const named = `select given.*, q.id as queue_id from ${given(layout, ACCEPTED, 1)} cross join queues q
    where q.team_id = given.team_id and q.name = given.queue for key share of q`;
  const todo = 'team_id, id, request_id, attempt_number, queue_id, due_at';
  const request = 'method, url, callback_url, sealed_headers, payload';
  if (layout.keepsNothing) {
    return `/* accept */ with named as materialized (${named})
      insert into todo (${todo}, ${request})
      select team_id, id, id, 1, queue_id, due_at, ${request} from named returning id`;
  }
  return `/* accept */ with named as materialized (${named}), asked as (
      insert into requests (team_id, id, created_at, ${request})
      select team_id, id, created_at, ${request} from named
    ) insert into todo (${todo}) select team_id, id, id, 1, queue_id, due_at from named returning id`;
}

/** $1 queue, $2 node, $3 now, $4 slots, $5 from when on, $6 month, $7 day, $8 the claim's id */
export const CLAIM_PARAMETERS = 8;

export function claimSql(layout: Layout): string {
  return `/* claim */ with ${claimParts(layout)} ${claimed(layout)}`;
}

function claimParts(layout: Layout): string {
  const free = layout.claim === 'take' ? '' : 'and claimed_by is null';
  const due = `open_queues as materialized (
      select q.id, q.timeout_seconds, q.assertions, q.is_paused, t.plan, t.sealed_signing_secret,
        (select todo.due_at from todo where todo.queue_id = q.id ${free} and todo.due_at > $3
         order by todo.due_at, todo.id limit 1) as next_due_at
      from queues q join teams t on t.id = q.team_id and t.deleted_at is null where q.id = $1
    ), due as materialized (
      select j.* from open_queues q cross join lateral (
        select todo.team_id, todo.id from todo
        where todo.queue_id = q.id ${free} and todo.due_at <= $3 and todo.due_at >= $5
        order by todo.due_at, todo.id limit $4 for update skip locked
      ) j
      where q.is_paused = 0 and exists (select id from nodes where id = $2 for key share) limit 1000
    )`;
  const counted = `counted as (
      insert into usage_months (team_id, month, used) select team_id, $6, count(*) from due group by 1
      on conflict (team_id, month) do update set used = usage_months.used + excluded.used
    ), counted_by_day as (
      insert into usage_days (team_id, day, used) select team_id, $7, count(*) from due group by 1
      on conflict (team_id, day) do update set used = usage_days.used + excluded.used
    )`;
  const ours = 'where todo.team_id = due.team_id and todo.id = due.id returning todo.*';
  const take = `claimed as (delete from todo using due ${ours}), written as (
      insert into claims (id, node_id, started_at, open, ids)
      select $8, $2, $3, count(*), array_agg(id) from claimed having count(*) > 0
    )`;
  const mark = `claimed as (update todo set claimed_by = $2, started_at = $3 from due ${ours})`;
  const parts = [due, layout.claim === 'take' ? take : mark];
  if (!layout.keepsNothing) parts.push(counted);
  return parts.join(', ');
}

function claimed({ keepsNothing }: Layout): string {
  const queue = `q.timeout_seconds, q.assertions, q.is_paused, q.plan, q.sealed_signing_secret, q.next_due_at`;
  const cast = `$8::uuid as claim_id`;
  if (keepsNothing) {
    // It counts nothing, so month and day are unused.
    return `select ${cast}, $6::text as month, $7::text as day, ${queue}, claimed.* from open_queues q left join claimed on true`;
  }
  return `select ${cast}, ${queue}, claimed.*, r.method, r.url, r.callback_url, r.sealed_headers, r.payload
    from open_queues q left join (claimed join requests r
      on r.team_id = claimed.team_id and r.id = claimed.request_id) on true`;
}

const OUTCOME = `team_id, id, request_id, attempt_number, queue_id, status, due_at, started_at, completed_at,
  response_status, reason, error_message, duration_ms, total_bytes, trace, body`;

/** $first node, then the ends. */
export function settleSql(layout: Layout, first = 1): string {
  return `/* settle */ with ${settleParts(layout, first)} select id from ended`;
}

function settleParts(layout: Layout, first: number): string {
  const node = `$${first}::uuid`;
  const ends = `ends as materialized (select given.* from ${given(layout, ENDED, first + 1)})`;
  if (layout.keepsNothing) return `${ends}, ${deleted(node)}`;
  const body = layout.parameters === 'json' ? "decode(body, 'hex')" : 'body';
  const take = `held as (
      update claims set open = claims.open - done.runs
      from (select claim_id, count(*) as runs from ends group by 1) as done
      where claims.id = done.claim_id and claims.node_id = ${node} returning claims.id
    ), ended as (
      insert into outcomes (${OUTCOME}) select ${OUTCOME.replace(/body$/, body)}
      from ends where claim_id in (select id from held) on conflict do nothing
      returning team_id, id, status, completed_at
    )`;
  const columns = OUTCOME.replaceAll(/\b\w+\b/g, (name) =>
    ['team_id', 'id', 'request_id', 'attempt_number', 'queue_id', 'due_at', 'started_at'].includes(
      name,
    )
      ? `gone.${name}`
      : name === 'body'
        ? body.replace('body', 'ends.body')
        : `ends.${name}`,
  );
  const mark = `${deleted(node).replace('ended', 'gone')}, ended as (
      insert into outcomes (${OUTCOME}) select ${columns} from gone join ends using (id)
      returning team_id, id, status, completed_at
    )`;
  const counted = `counted_ends as (
      insert into outcome_hours (team_id, hour, outcome, runs)
      select team_id, completed_at - completed_at % 3600000, status, count(*) from ended group by 1, 2, 3
      on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs
    )`;
  return [ends, layout.claim === 'take' ? take : mark, counted].join(', ');
}

function deleted(node: string): string {
  return `ended as (
      delete from todo using ends
      where todo.team_id = ends.team_id and todo.id = ends.id and todo.claimed_by = ${node}
      returning todo.*
    )`;
}

/** The claim's parameters, then the settlement's. */
export function settleAndClaimSql(layout: Layout): string {
  const parts = [settleParts(layout, CLAIM_PARAMETERS + 1), claimParts(layout)];
  return `/* settle-and-claim */ with ${parts.join(', ')} ${claimed(layout)}`;
}
