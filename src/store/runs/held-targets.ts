import { mayBeHeld, originOf, waitsUntil } from '#domain/held-target';
import type { Database, Trx } from '../database/database.ts';
import { type Dialect, type Fields, packRows, type RowOf } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { heldUp } from './held-rows.ts';
import type { StatementRunner } from '../database/transaction-script.ts';

/**
 * Targets that have asked a queue to wait (`Retry-After`, §3.4). A row is written with the end of the attempt that was
 * told so. Retries that wait already are not moved then, which would cost as much as there are: each is put off by the
 * claim that finds it due, once for each time that the wait was extended. Only queues with rows that hold pay for a
 * look.
 */
const HELD = {
  team_id: 'id',
  queue_id: 'id',
  origin: 'text',
  until: 'bigint',
} as const satisfies Fields;
export type HeldTarget = RowOf<typeof HELD>;

/** A target that answers many at once is written once a second (`readAskedWait`), and locked no more often. */
const holdTarget = preparedStatement<never>(
  'hold-targets',
  (dialect) => `
  insert into held_targets (team_id, queue_id, origin, until)
  select given.team_id, given.queue_id, given.origin, given.until from ${dialect.rows(HELD, 1)}
  where not exists (
    select 1 from held_targets h where h.team_id = given.team_id and h.queue_id = given.queue_id
      and h.origin = given.origin and h.until >= given.until)
  on conflict (team_id, queue_id, origin) do update
    set until = ${dialect.greatest('held_targets.until', 'excluded.until')}`,
);

/** Holds targets, each for as long as it asked for at most. */
export async function holdTargets(
  trx: Trx,
  dialect: Dialect,
  targets: readonly HeldTarget[],
): Promise<void> {
  const longest = new Map<string, HeldTarget>();
  for (const target of targets) {
    const key = `${target.team_id} ${target.queue_id} ${target.origin}`;
    if ((longest.get(key)?.until ?? 0) < (target.until ?? 0)) longest.set(key, target);
  }
  // In one order, so that two nodes cannot deadlock.
  const rows = [...longest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, target]) => target);
  if (rows.length > 0) await runPrepared(trx, dialect, holdTarget, [packRows(HELD, rows)]);
}

/** Whether a target of a queue `q` is held; for queues without the setting nothing is looked up. */
export const hasHolds = (now: string) => `
  case when q.honors_retry_after = 1 then (
    select count(*) from (
      select 1 from held_targets h where h.queue_id = q.id and h.until > ${now} limit 1) as held
  ) else 0 end`;

interface DueJob {
  id: string;
  url: string;
  attempt_number: number;
  created_at: number;
  is_time_by_hand: 0 | 1 | null;
}

/** How many due jobs of a queue are looked at at once, and how often in one claim. */
const LOOK_AT = 200;
const MOST_LOOKS = 5;

const lookAtDue = preparedStatement<DueJob>(
  'look-at-due-jobs',
  ({ $ }) => `
  select j.id, j.url, j.attempt_number, j.created_at, j.is_time_by_hand from jobs j
  where j.queue_id = ${$(1, 'id')} and j.status = 'pending' and j.scheduled_at <= ${$(2, 'bigint')}
    and j.scheduled_at >= ${$(3, 'bigint')}
  order by j.scheduled_at, j.id limit ${LOOK_AT}`,
);

const ORIGIN = { team_id: 'id', queue_id: 'id', origin: 'text' } as const satisfies Fields;

const findHolds = preparedStatement<{ origin: string; until: number }>(
  'find-held-targets',
  (dialect) => `
  select h.origin, h.until from ${dialect.rows(ORIGIN, 1)} cross join held_targets h
  where h.team_id = given.team_id and h.queue_id = given.queue_id and h.origin = given.origin
    and h.until > ${dialect.$(2, 'bigint')}`,
);

const PUT_OFF = { team_id: 'id', id: 'id', until: 'bigint' } as const satisfies Fields;

/** Without those that somebody else has locked: no claim takes them either, and the rest of the queue goes on. */
const putOff = preparedStatement<{ id: string }>(
  'put-off-retries',
  (dialect) => `
  update jobs set scheduled_at = free.until from (
    select j.team_id, j.id, given.until from ${dialect.rows(PUT_OFF, 1)} cross join jobs j
    where ${dialect.hasKeyOf('j', 'given')}
      and ${dialect.unindexed('j.status')} = 'pending'
      and (j.is_time_by_hand is null or j.is_time_by_hand = 0)
    ${dialect.lock('for update of j skip locked')}
  ) as free
  where ${dialect.hasKeyOf('jobs', 'free')}
  returning jobs.id`,
);

/**
 * Puts off the due retries of a queue whose targets are held, before a claim takes the first due jobs.
 *
 * @returns how many jobs a claim may take at most, so that it takes none that was not looked at
 * @throws {StoreError} for which `isHeldUp` is true, where others have locked all the first due jobs
 */
export async function putOffHeld(
  runner: StatementRunner,
  dialect: Dialect,
  {
    teamId,
    queueId,
    from,
    slots,
  }: { teamId: string; queueId: string; from: number; slots: number },
  now: number,
): Promise<number> {
  let free = 0;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const due = await runPrepared(runner, dialect, lookAtDue, [queueId, now, from]);
    const held = await findHeld(runner, dialect, { teamId, queueId }, due, now);
    const moved =
      held.length === 0
        ? []
        : await runPrepared(runner, dialect, putOff, [packRows(PUT_OFF, held)]);
    free = due.length - held.length;
    if (due.length < LOOK_AT) return slots;
    if (free >= slots || held.length === 0) break;
    // The next look would find the same. That this claim leaves the queue lets it rest.
    if (free === 0 && moved.length === 0) throw heldUp();
  }
  return Math.min(slots, free);
}

async function findHeld(
  runner: StatementRunner,
  dialect: Dialect,
  { teamId, queueId }: { teamId: string; queueId: string },
  due: readonly DueJob[],
  now: number,
): Promise<RowOf<typeof PUT_OFF>[]> {
  const retries = due.map(attemptOf).filter(mayBeHeld);
  const origins = new Set(retries.flatMap(({ url }) => originOf(url) ?? []));
  if (origins.size === 0) return [];
  const keys = [...origins].map((origin) => ({ team_id: teamId, queue_id: queueId, origin }));
  const held = await runPrepared(runner, dialect, findHolds, [packRows(ORIGIN, keys), now]);
  const untilOf = new Map(held.map(({ origin, until }) => [origin, until]));
  return retries.flatMap((retry) => {
    const until = waitsUntil(retry, untilOf.get(originOf(retry.url) ?? '') ?? 0);
    return until > now ? [{ team_id: teamId, id: retry.id, until }] : [];
  });
}

/** Until when a waiting job of a team waits for its target; null: it does not. */
export async function findHold(
  db: Database,
  teamId: string,
  jobId: string,
  now: number,
): Promise<number | null> {
  return db.read(async (reader) => {
    const job = await reader
      .selectFrom('jobs')
      .select(['id', 'queue_id', 'url', 'attempt_number', 'created_at', 'is_time_by_hand'])
      .where('team_id', '=', teamId)
      .where('id', '=', jobId)
      .where('status', '=', 'pending')
      .where('attempt_number', '>', 1)
      .executeTakeFirst();
    if (!job) return null;
    const at = { teamId, queueId: job.queue_id };
    const isPatient = await reader
      .selectFrom('queues')
      .select('id')
      .where('team_id', '=', teamId)
      .where('id', '=', job.queue_id)
      .where('honors_retry_after', '=', 1)
      .executeTakeFirst();
    if (!isPatient) return null;
    const [held] = await findHeld(reader, db.dialect, at, [job], now);
    return held?.until ?? null;
  });
}

function attemptOf({ id, url, attempt_number, created_at, is_time_by_hand }: DueJob) {
  return {
    id,
    url,
    attemptNumber: attempt_number,
    createdAt: created_at,
    isTimeByHand: is_time_by_hand === 1,
  };
}
