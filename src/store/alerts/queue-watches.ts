import { readAlertSettings } from '#domain/alerts/alert-settings';
import { findMutingWindow } from '#domain/team/maintenance';
import {
  followWatch,
  judgeBacklog,
  judgeFailures,
  kindsOf,
  readWatchRules,
  type Verdict,
  WATCH_EVERY_MS,
  type WatchKind,
  type WatchRules,
} from '#domain/alerts/queue-watch';
import type { Context } from '../database/context.ts';
import type { Database, Trx } from '../database/database.ts';
import { forEachUnlocked, limitLockWaits } from '../database/locked-teams.ts';
import { sql } from '../database/sql.ts';
import { addMissing, all, change, not, one, remove } from '../database/rows.ts';
import type { Row } from '../tables/tables.ts';
import { raiseAlerts } from './raise-alerts.ts';
import { readWindows } from './window-rows.ts';

const MOST_AT_ONCE = 500;

type WatchRow = Row<'queue_watches'>;

interface Due extends WatchRow {
  watch_rules: string | null;
  paused_at: number | null;
}

/**
 * A check in the far future was planned by a clock that was ahead. A pause of the team counts if the queue has none.
 */
const findDue = (now: number) => sql<Due>`
  select w.*, q.watch_rules, case when q.is_paused = 1 then q.paused_at else t.paused_at end as paused_at
  from queue_watches w join teams t on t.id = w.team_id
  join queues q on q.team_id = w.team_id and q.id = w.queue_id
  where t.deleted_at is null and (w.check_at <= ${now} or w.check_at > ${now + WATCH_EVERY_MS})
  order by w.check_at limit ${MOST_AT_ONCE}`;

const measureBacklog = (queueId: string, now: number, most: number) =>
  sql<{ oldest_due_at: number | null; waiting: number }>`
  select min(scheduled_at) as oldest_due_at, count(*) as waiting from (
    select scheduled_at from jobs where queue_id = ${queueId} and status = 'pending'
      and scheduled_at <= ${now} order by scheduled_at, id limit ${most}) as due`;

/** Attempts that the monthly limit stopped raise no alerts (§8). */
const JUDGED = ['success', 'retried', 'dead_lettered'] as const;

/** A short index range per status. */
function measureFailures(queueId: string, since: number, most: number) {
  const last = JUDGED.map((status) => {
    const [literal, name] = [sql.raw(`'${status}'`), sql.raw(`of_${status}`)];
    return sql`select * from (select completed_at, ${literal} as status from ended_jobs
      where queue_id = ${queueId} and status = ${literal} and completed_at >= ${since}
      order by completed_at desc, id desc limit ${most}) as ${name}`;
  });
  return sql<{ failed: number; finished: number }>`
    select count(*) as finished, count(case when status <> 'success' then 1 end) as failed from (
      select status from (${sql.join(last, ' union all ')}) as each_status
      order by completed_at desc limit ${most}) as last_attempts`;
}

/** Each alert is raised once, across nodes (§6.4). */
export async function checkQueues({ main, searches }: Context, now: number): Promise<void> {
  const due = await main.ask(findDue(now));
  await forEachUnlocked(due, async (watch) => {
    const verdict = await judge(searches, watch, now);
    await main.transact((trx) => follow(trx, watch, verdict, now));
  });
}

/** Null: the rule was removed or can't be read. */
async function judge(db: Database, watch: Due, now: number): Promise<Verdict | null> {
  const { kind, queue_id, created_at } = watch;
  const rules = readWatchRules(watch.watch_rules);
  const isOpen = watch.since !== null;
  if (!kindsOf(rules).includes(kind)) return null;
  if (kind === 'backlog') {
    const most = (rules.backlog.jobs ?? 0) + 1;
    const [found] = await db.ask(measureBacklog(queue_id, now, most));
    const { oldest_due_at: oldestDueAt = null, waiting = 0 } = found ?? {};
    const facts = { now, oldestDueAt, waiting, pausedAt: watch.paused_at };
    return judgeBacklog(rules.backlog, facts, isOpen);
  }
  const { attempts } = rules.failureRate;
  const [found] = await db.ask(measureFailures(queue_id, created_at, attempts));
  return judgeFailures(rules.failureRate, found ?? { failed: 0, finished: 0 }, isOpen);
}

/** Of two nodes that judged the same check, the second sees that another one is planned. */
async function follow(
  trx: Trx,
  { team_id, queue_id, kind, check_at }: Due,
  verdict: Verdict | null,
  now: number,
): Promise<void> {
  await limitLockWaits(trx);
  const key = { team_id, queue_id, kind };
  const locked = await one(trx, 'queue_watches', key, undefined, 'for update');
  if (locked?.check_at !== check_at) return;
  const columns = ['name', 'alert_settings'] as const;
  const queue = await one(trx, 'queues', { team_id, id: queue_id }, columns);
  if (!queue || !verdict) {
    await remove(trx, 'queue_watches', key);
    return;
  }
  const settings = readAlertSettings(queue.alert_settings);
  const source = { kind: 'queue', id: queue_id, name: queue.name } as const;
  const before = { seenAt: locked.seen_at, since: locked.since, notifiedAt: locked.notified_at };
  const isMuted = findMutingWindow(await readWindows(trx, [team_id]), source, now) !== null;
  const { isOver, words } = verdict;
  const check = { isOver, now, isMuted, remindHours: settings.remindHours };
  const { state, alert } = followWatch(before, check);
  await change(trx, 'queue_watches', key, {
    check_at: now + WATCH_EVERY_MS,
    seen_at: state.seenAt,
    since: state.since,
    notified_at: state.notifiedAt,
    words: state.since === null ? null : words,
  });
  if (alert === null) return;
  const { level, downMs: down_ms } = alert;
  const row = { team_id, level, run_id: null, raised_at: now, error_message: words, down_ms, kind };
  await raiseAlerts(trx, [{ source, settings, row }]);
}

/** Changed rules keep the state. Failed attempts count from when the first rule was set. */
export async function keepWatches(
  trx: Trx,
  { team_id, id: queue_id }: Pick<Row<'queues'>, 'team_id' | 'id'>,
  rules: WatchRules,
  now: number,
): Promise<void> {
  const kinds = kindsOf(rules);
  for (const { kind } of await all(trx, 'queue_watches', { team_id, queue_id })) {
    if (!kinds.includes(kind)) await remove(trx, 'queue_watches', { team_id, queue_id, kind });
  }
  const rows = kinds.map((kind) => ({ team_id, queue_id, kind, created_at: now, check_at: now }));
  if (rows.length > 0) await addMissing(trx, 'queue_watches', rows);
}

export interface OpenWatch {
  queueId: string;
  kind: WatchKind;
  since: number;
  words: string;
}

/** @param queueIds some hundreds at most */
export async function listOpenWatches(
  { main }: Context,
  teamId: string,
  queueIds: readonly string[],
): Promise<OpenWatch[]> {
  const key = { team_id: teamId, queue_id: queueIds, since: not(null) };
  const rows = await all(main, 'queue_watches', key, { order: ['kind'] });
  return rows.map(({ queue_id: queueId, kind, since, words }) => {
    return { queueId, kind, since: since ?? 0, words: words ?? '' };
  });
}
