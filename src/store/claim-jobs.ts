import type { HttpMethod } from '#domain/exchange';
import type { Claimant, ClaimedJob, SecretReader } from './claims.ts';
import type { Database } from './database.ts';
import { type Dialect, type Fields, packRows } from './dialect.ts';
import { findHeldLanes } from './held-rows.ts';
import { hotStatement, runHot } from './hot.ts';
import { livingNode } from './living-node.ts';
import { countOutcomes, failedRuns } from './outcomes.ts';
import type { HotRunner, Procedure } from './procedure.ts';
import type { Sealer } from './seal.ts';
import {
  KEEP_TAKEN,
  LAST_TAKEN,
  packTaken,
  RECOUNT_MS,
  RUNNING_IDS,
  type Strangers,
  type TakenSlots,
  TAKEN,
} from './slots.ts';
import { PartsReader } from './stored-parts.ts';
import { countUsage } from './usage.ts';

/** A queue that may have due jobs, and how many of them may be started. */
export interface QueueSeats {
  queueId: string;
  /** Where it is given, what is known to be held of the team is looked at before it is waited for. */
  teamId?: string;
  seats: number;
  /**
   * Jobs that were due earlier are not looked for. In Postgres the entries of jobs that have left stay in the
   * index until the next vacuum, and each claim would go through all of them. SQLite leaves no such entries, and
   * takes those that were due earlier too. Default: 0.
   */
  from?: number;
}

export interface Claim {
  claimed: ClaimedJob[];
  /** How many were over the month's limit and are finished by that (§2.7). */
  blocked: number;
  /** For each queue asked for: when its next waiting job is due (at the earliest), and what keeps it from starting. */
  queues: {
    queueId: string;
    nextDueAt: number | null;
    holds: 'nothing' | 'paused' | 'at-limit' | 'held' | 'gone';
  }[];
}

/** What claiming works with. */
export interface ClaimRoom {
  db: Database;
  sealer: Sealer;
  secrets: SecretReader;
  strangers: Strangers;
}

export interface QueueRow {
  id: string;
  timeout_seconds: number;
  concurrency_limit: number | null;
  running: number;
  /** Of a queue with a limit on Postgres. */
  taken?: TakenSlots | null;
  assertions: string;
  is_paused: 0 | 1;
  plan: string;
  sealed_signing_secret: string | null;
}

export interface JobRow {
  team_id: string;
  id: string;
  original_id: string;
  attempt_number: number;
  queue_id: string;
  method: HttpMethod;
  url: string;
  callback_url: string | null;
  scheduled_at: number;
  sealed_headers: string | null;
  payload: string | null;
}

export const SEATS = { queue_id: 'id', seats: 'int', from_at: 'bigint' } as const satisfies Fields;

const holdLimitedQueues = hotStatement<{ id: string }>(
  'hold-limited-queues',
  (dialect) => `
  select q.id from ${dialect.rows(SEATS, 1)} ${dialect.briefly} cross join queues q
  where q.id = given.queue_id and q.concurrency_limit is not null
  order by q.id ${dialect.lock('for no key update of q')}`,
);

const QUEUE_COLUMNS = `q.id, q.timeout_seconds, q.concurrency_limit, q.assertions, q.is_paused, t.plan,
  t.sealed_signing_secret`;

/** `running` is counted only where there is a limit to compare it with: one range of the index of running jobs. */
const readQueuesOnSqlite = hotStatement<QueueRow>(
  'read-queues',
  (dialect) => `
  select ${QUEUE_COLUMNS},
    case when q.concurrency_limit is null then 0 else (
      select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing'
    ) end as running
  from ${dialect.rows(SEATS, 1)} cross join queues q cross join teams t
  where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null`,
);

type QueueWithSlots = Omit<QueueRow, 'running' | 'taken'> & {
  team_id: string;
  number: number | null;
  is_known: boolean;
  recount_until: number;
  running_ids: string[] | null;
};

/** The same where what runs is looked up by the list of the last claim (slots.ts). $2 now, $3 whether to recount */
const readQueuesOnPostgres = hotStatement<QueueWithSlots>(
  'read-queues',
  (dialect) => `
  select ${QUEUE_COLUMNS}, q.team_id, last.number, last.job_ids is not null as is_known,
    coalesce(last.recount_until, 0) as recount_until, ${RUNNING_IDS} as running_ids
  from ${dialect.rows(SEATS, 1)} cross join queues q cross join teams t ${LAST_TAKEN}
  where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null`,
);

export const CLAIMED_COLUMNS = `jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id,
  jobs.method, jobs.url, jobs.callback_url, jobs.scheduled_at, jobs.sealed_headers, jobs.payload`;

const DUE_OF_QUEUE = `status = 'pending' and scheduled_at <= `;

/**
 * The most jobs of one claim on Postgres; whatever is over waits for the next. The number is for the
 * planner: seats are unknown to it, and it would prepare for a tenth of all waiting jobs.
 */
export const MOST_CLAIMED = 1000;

/**
 * Postgres takes all queues in one statement and skips rows that another node is claiming. SQLite has no
 * lateral join: there `claimOnSqlite` gives each queue its own part of a union. What is due stands by itself
 * (`materialized`): as a part of a join it may be chosen anew for each row, and others each time, past all seats.
 */
const claimOnPostgres = hotStatement<JobRow>(
  'claim-jobs',
  (dialect) => `
  with due as materialized (
    select j.team_id, j.id from ${dialect.rows(SEATS, 1)}
    cross join lateral (
      select jobs.team_id, jobs.id from jobs
      where jobs.queue_id = given.queue_id and jobs.${DUE_OF_QUEUE} $3
        and jobs.scheduled_at >= given.from_at
      order by jobs.scheduled_at, jobs.id limit given.seats for update skip locked
    ) j
    where exists (${livingNode(dialect, '$2')})
    limit ${MOST_CLAIMED}
  ), claimed as (
    update jobs set status = 'processing', claimed_by = $2, started_at = $3
    from due where jobs.team_id = due.team_id and jobs.id = due.id
    returning ${CLAIMED_COLUMNS}
  ), ${KEEP_TAKEN(dialect.rows(TAKEN, 4))}
  select * from claimed`,
);

/** Queues served by one statement on SQLite; fewer are padded, so that only a few texts are ever prepared. */
const SQLITE_WIDTHS = [1, 4, 16, 64] as const;

const CLAIMS_ON_SQLITE = new Map(
  SQLITE_WIDTHS.map((width) => [
    width,
    hotStatement<JobRow>(`claim-jobs-${width}`, (dialect) => {
      const parts = Array.from(
        { length: width },
        (_, n) => `select * from (select rowid from jobs where queue_id = ?${2 * n + 3}
          and ${DUE_OF_QUEUE} ?2 order by scheduled_at, id limit ?${2 * n + 4})`,
      );
      return `update jobs set status = 'processing', claimed_by = ?1, started_at = ?2
        where rowid in (${parts.join(' union all ')})
          and exists (${livingNode(dialect, '?1')})
        returning ${CLAIMED_COLUMNS}`;
    }),
  ]),
);

const readHeads = hotStatement<{ queue_id: string; next_due_at: number | null }>(
  'read-queue-heads',
  (dialect) => `
  select given.queue_id, (
    select j.scheduled_at from jobs j where j.queue_id = given.queue_id and j.status = 'pending'
      and j.scheduled_at >= given.from_at
    order by j.scheduled_at, j.id limit 1
  ) as next_due_at from ${dialect.rows(SEATS, 1)}`,
);

const FAILED = { team_id: 'id', id: 'id' } as const satisfies Fields;

const failOverLimit = hotStatement<never>(
  'fail-over-limit',
  (dialect) => `
  update jobs set status = 'failed', claimed_by = null, completed_at = started_at, duration_ms = 0,
    reason = 'limit_exceeded', error_message = 'Monthly limit reached'
  from ${dialect.rows(FAILED, 1)}
  where jobs.team_id = given.team_id and jobs.id = given.id`,
);

/** Names of plans seen so far: their limits go with a claim, so that it can judge where the database is. */
export type KnownPlans = Set<string>;

interface ClaimInput {
  asked: readonly QueueSeats[];
  nodeId: string;
  now: number;
  /** Whether others may claim from queues with a limit without writing it down. */
  recounts: boolean;
  /** The most runs a month by plan; null for no limit. */
  limits: Readonly<Record<string, number | null>>;
}

interface Taken {
  rows: JobRow[];
  blocked: number;
  queues: Claim['queues'];
  settings: Map<string, QueueRow>;
  /** Plans without a limit given. Where there are any, nothing was claimed. */
  unknownPlans: string[];
}

export const claimProcedure: Procedure<ClaimInput, Taken> = {
  name: 'claim-jobs',
  async run(runner, dialect, input) {
    const { asked, limits } = input;
    const settings = await readSettings(runner, dialect, input);
    const unknownPlans = [...settings.values()]
      .map(({ plan }) => plan)
      .filter((plan) => !Object.hasOwn(limits, plan));
    if (unknownPlans.length > 0)
      return { rows: [], blocked: 0, queues: [], settings, unknownPlans };
    const open = openSeats(asked, settings);
    const due = open.length === 0 ? [] : await claimRows(runner, dialect, open, settings, input);
    const heads = await runHot(runner, dialect, readHeads, [packSeats(asked)]);
    const rows = await withinLimit(runner, dialect, due, settings, input);
    const queues = heads.map(({ queue_id, next_due_at }) => ({
      queueId: queue_id,
      nextDueAt: next_due_at,
      holds: whatHolds(settings.get(queue_id), due),
    }));
    return { rows, blocked: due.length - rows.length, queues, settings, unknownPlans };
  },
};

/**
 * Claims due jobs of several queues for one node, earliest first in each queue, in one transaction:
 * concurrency limits are held across nodes (§3.8), paused queues are left alone (§3.5), and each job is
 * counted against its team's month; what is over the limit fails at once (§8.2).
 */
export async function claimInTransaction(
  room: ClaimRoom,
  asked: readonly QueueSeats[],
  { nodeId, now, monthlyLimitOf }: Claimant,
  knownPlans: KnownPlans,
): Promise<Claim> {
  const limits = Object.fromEntries([...knownPlans].map((plan) => [plan, monthlyLimitOf(plan)]));
  const recounts = await room.strangers.areThere();
  const input = { asked, nodeId, now, limits, recounts };
  const taken = await room.db.perform(claimProcedure, input);
  if (taken.unknownPlans.length > 0) {
    // The first claim of a plan's first queue.
    for (const plan of taken.unknownPlans) knownPlans.add(plan);
    return claimInTransaction(room, asked, { nodeId, now, monthlyLimitOf }, knownPlans);
  }
  const { rows, blocked, queues, settings } = taken;
  const claimed = rows.flatMap((row) => {
    const queue = settings.get(row.queue_id);
    return queue ? [claimedJob(row, queue, room, now)] : [];
  });
  return { claimed, blocked, queues };
}

/** Of queues with a limit a claim holds the row too. */
export const findHeldQueues = findHeldLanes(
  'find-held-queues',
  (given) => `
    select q.id, q.team_id, q.concurrency_limit from ${given} join queues q on q.id = given.id`,
  {
    freeRows: `, free_queues as materialized (
      select id from queues
      where id = any(array(select id from lanes where concurrency_limit is not null))
      for no key update skip locked
    )`,
    isHeld: '(concurrency_limit is not null and id not in (select id from free_queues))',
  },
);

/** Several claims as one; what was left out because somebody holds it is looked at again where it was looked at. */
export function joinClaims(claims: readonly Claim[], held: readonly QueueSeats[]): Claim {
  const heldQueues = held.map(({ queueId, from = 0 }) => {
    return { queueId, nextDueAt: from, holds: 'held' as const };
  });
  return {
    claimed: claims.flatMap(({ claimed }) => claimed),
    blocked: claims.reduce((sum, { blocked }) => sum + blocked, 0),
    queues: [...claims.flatMap(({ queues }) => queues), ...heldQueues],
  };
}

export function packSeats(asked: readonly QueueSeats[]): string {
  return packRows(
    SEATS,
    asked.map(({ queueId, seats, from = 0 }) => ({ queue_id: queueId, seats, from_at: from })),
  );
}

async function readSettings(
  runner: HotRunner,
  dialect: Dialect,
  { asked, now, recounts }: ClaimInput,
): Promise<Map<string, QueueRow>> {
  const parameter = packSeats(asked);
  if (!dialect.isShared) {
    const rows = await runHot(runner, dialect, readQueuesOnSqlite, [parameter]);
    return new Map(rows.map((row) => [row.id, row]));
  }
  // Two nodes must not both count a limited queue's running jobs before either has claimed.
  await runHot(runner, dialect, holdLimitedQueues, [parameter]);
  const rows = await runHot(runner, dialect, readQueuesOnPostgres, [parameter, now, recounts]);
  return new Map(rows.map((row) => [row.id, queueRow(row, now)]));
}

function queueRow(row: QueueWithSlots, now: number): QueueRow {
  const { team_id, number, is_known, recount_until, running_ids, ...queue } = row;
  if (running_ids === null) return { ...queue, running: 0, taken: null };
  const until = is_known ? recount_until : now + RECOUNT_MS;
  const list = { number: number ?? 0, job_ids: running_ids, recount_until: until };
  const taken = { team_id, queue_id: queue.id, ...list };
  return { ...queue, running: running_ids.length, taken };
}

function openSeats(
  asked: readonly QueueSeats[],
  settings: ReadonlyMap<string, QueueRow>,
): QueueSeats[] {
  return asked.flatMap(({ queueId, seats, from = 0 }) => {
    const queue = settings.get(queueId);
    if (!queue || queue.is_paused === 1) return [];
    // Never negative: SQLite reads a negative LIMIT as no limit at all.
    const left = Math.max(0, (queue.concurrency_limit ?? Infinity) - queue.running);
    const open = Math.min(seats, left);
    return open === 0 ? [] : [{ queueId, seats: open, from }];
  });
}

async function claimRows(
  runner: HotRunner,
  dialect: Dialect,
  open: readonly QueueSeats[],
  settings: ReadonlyMap<string, QueueRow>,
  { nodeId, now }: ClaimInput,
): Promise<JobRow[]> {
  if (dialect.isShared) {
    const taken = open.flatMap(({ queueId }) => settings.get(queueId)?.taken ?? []);
    const parameters = [packSeats(open), nodeId, now, packTaken(taken)];
    const rows = await runHot(runner, dialect, claimOnPostgres, parameters);
    return rows.toSorted(earlierFirst);
  }
  const rows: JobRow[] = [];
  const widest = SQLITE_WIDTHS.at(-1) ?? 1;
  for (let from = 0; from < open.length; from += widest) {
    rows.push(
      ...(await claimOnSqlite(runner, dialect, open.slice(from, from + widest), nodeId, now)),
    );
  }
  return rows.toSorted(earlierFirst);
}

async function claimOnSqlite(
  runner: HotRunner,
  dialect: Dialect,
  open: readonly QueueSeats[],
  nodeId: string,
  now: number,
): Promise<JobRow[]> {
  const width = SQLITE_WIDTHS.find((each) => each >= open.length) ?? 64;
  const statement = CLAIMS_ON_SQLITE.get(width);
  if (!statement) throw new Error(`no claim of ${width} queues`);
  const parameters: (string | number | null)[] = [nodeId, now];
  for (let n = 0; n < width; n++) {
    const queue = open[n];
    parameters.push(queue?.queueId ?? null, queue?.seats ?? 0);
  }
  return runHot(runner, dialect, statement, parameters);
}

export function earlierFirst(a: JobRow, b: JobRow): number {
  return a.scheduled_at - b.scheduled_at || (a.id < b.id ? -1 : 1);
}

/** Counts the claimed jobs; those over a team's month are failed here and left out. */
async function withinLimit(
  runner: HotRunner,
  dialect: Dialect,
  rows: readonly JobRow[],
  settings: ReadonlyMap<string, QueueRow>,
  { now, limits }: ClaimInput,
): Promise<JobRow[]> {
  if (rows.length === 0) return [];
  const byTeam = Map.groupBy(rows, (row) => row.team_id);
  const wanted = [...byTeam].map(([teamId, jobs]) => ({
    teamId,
    runs: jobs.length,
    monthlyLimit: limits[settings.get(jobs[0]?.queue_id ?? '')?.plan ?? ''] ?? null,
  }));
  const granted = await countUsage(runner, dialect, wanted, now);
  const over = [...byTeam].flatMap(([teamId, jobs]) => jobs.slice(granted.get(teamId) ?? 0));
  if (over.length === 0) return [...rows];
  await runHot(runner, dialect, failOverLimit, [packRows(FAILED, over)]);
  await countOutcomes(runner, dialect, failedRuns(over, now));
  return rows.filter((row) => !over.includes(row));
}

function whatHolds(
  queue: QueueRow | undefined,
  rows: readonly JobRow[],
): Claim['queues'][number]['holds'] {
  if (!queue) return 'gone';
  if (queue.is_paused === 1) return 'paused';
  if (queue.concurrency_limit === null) return 'nothing';
  const claimed = rows.filter((row) => row.queue_id === queue.id).length;
  return queue.running + claimed >= queue.concurrency_limit ? 'at-limit' : 'nothing';
}

/** The row of a claimed job and its queue's settings, as the engine needs them. */
export function claimedJob(
  row: JobRow,
  queue: Omit<QueueRow, 'id' | 'running' | 'taken'>,
  { sealer, secrets }: Pick<ClaimRoom, 'sealer' | 'secrets'>,
  now: number,
): ClaimedJob {
  const reader = new PartsReader();
  return {
    kind: 'job',
    teamId: row.team_id,
    id: row.id,
    originalId: row.original_id,
    attemptNumber: row.attempt_number,
    queueId: row.queue_id,
    hasConcurrencyLimit: queue.concurrency_limit !== null,
    method: row.method,
    url: row.url,
    headers: reader.readHeaders(sealer, 'jobs', row.sealed_headers),
    payload: row.payload,
    callbackUrl: row.callback_url,
    timeoutSeconds: queue.timeout_seconds,
    assertions: reader.readAssertions(queue.assertions),
    signingSecret: reader.readSecret(secrets, queue.sealed_signing_secret),
    unreadable: reader.unreadable,
    startedAt: now,
    dueAt: row.scheduled_at,
  };
}
