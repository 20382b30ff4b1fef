import { sql } from 'kysely';
import { nextReminder } from '#domain/alert-reminder';
import { type AlertSettings, readAlertSettings } from '#domain/alert-settings';
import type { Trx } from '../database/database.ts';
import { KeyMerge } from '../lists/key-merge.ts';
import { rangesOf } from '../lists/ranges.ts';
import type { RemindedKind } from './reminders.ts';
import { addMissing, change, first, not, remove } from '../database/rows.ts';
import { LAST_TIME } from '#domain/instant';
import { FIRST_ID } from '#domain/ids';

const EVER_AFTER = { at: LAST_TIME, id: FIRST_ID };

/**
 * Reminders of queues. A queue goes on failing from the first failed job that was raised for as long as one that failed
 * since is neither resent nor deleted.
 */
export const QUEUE_REMINDERS: RemindedKind = {
  kind: 'queue',

  async findDue(db, now, most) {
    return db.read((reader) =>
      reader
        .selectFrom('failing_queues as f')
        .innerJoin('teams as t', 't.id', 'f.team_id')
        .select(['f.team_id', 'f.queue_id as id', 't.paused_at', 'f.failing_since'])
        .where('t.deleted_at', 'is', null)
        .where('f.remind_at', '<=', now)
        .orderBy('f.remind_at')
        .limit(most)
        .execute(),
    );
  },

  /** The newest of its failed jobs. */
  async findFailure(db, { team_id, id, failing_since }) {
    const failed = rangesOf({ tab: 'failed' }, { queueIds: [id] });
    const deadLetters = failed.filter(({ status }) => status === 'dead_lettered');
    const newest = new KeyMerge(db, deadLetters, {
      direction: 'down',
      start: EVER_AFTER,
      until: failing_since ?? 0,
      expected: 1,
    });
    const [key] = await newest.next(1);
    if (!key) return null;
    const row = await db.read((reader) =>
      reader
        .selectFrom('ended_jobs')
        .select(['id as run_id', 'response_status', 'reason', 'error_message', 'attempt_number'])
        .where('team_id', '=', team_id)
        .where('id', '=', key.id)
        .where('status', '=', 'dead_lettered')
        .where('completed_at', '=', key.at)
        .executeTakeFirst(),
    );
    return row ?? null;
  },

  async lock(trx, { team_id, id }) {
    const row = await trx
      .selectFrom('failing_queues as f')
      .innerJoin('queues as q', (join) =>
        join.onRef('q.team_id', '=', 'f.team_id').onRef('q.id', '=', 'f.queue_id'),
      )
      .select(['q.name', 'q.is_paused', 'q.email_alerts', 'q.alert_settings'])
      .select(['f.failing_since', 'f.remind_at'])
      .where('f.team_id', '=', team_id)
      .where('f.queue_id', '=', id)
      .modifyEnd(sql.raw(trx.dialect.lock('for update of f')))
      .executeTakeFirst();
    if (!row) return null;
    const sent = await first(
      trx,
      'alerts',
      { team_id, source_id: id, level: 'failure', delivery: not('muted') },
      { columns: ['raised_at'], order: ['id desc'] },
    );
    return {
      name: row.name,
      settings: readAlertSettings(row.alert_settings),
      isFailing: row.email_alerts === 1,
      isActive: row.is_paused === 0,
      failingSince: row.failing_since,
      failedRuns: null,
      remindAt: row.remind_at,
      lastToldAt: sent?.raised_at ?? null,
    };
  },

  async write(trx, { team_id, id }, remindAt) {
    if (remindAt === null) return forgetFailing(trx, team_id, id);
    await change(trx, 'failing_queues', { team_id, queue_id: id }, { remind_at: remindAt });
  },
};

/** Records that a queue began to fail, if it asks for reminders and was not failing before. */
export async function noteFailing(
  trx: Trx,
  failed: readonly { teamId: string; queueId: string; at: number; settings: AlertSettings }[],
): Promise<void> {
  const first = new Map<string, (typeof failed)[number]>();
  for (const each of failed) if (!first.has(each.queueId)) first.set(each.queueId, each);
  // In one order, so that two nodes cannot deadlock.
  const inOrder = [...first.values()].toSorted((a, b) => (a.queueId < b.queueId ? -1 : 1));
  const rows = inOrder.flatMap(({ teamId, queueId, at, settings: { remindHours } }) => {
    const remind_at = nextReminder(at, remindHours);
    if (remindHours === null || remind_at === null) return [];
    const key = { team_id: teamId, queue_id: queueId };
    return [{ ...key, failing_since: at, remind_at, hours: remindHours }];
  });
  if (rows.length === 0) return;
  await addMissing(trx, 'failing_queues', rows);
}

/** Lets the next reminder come by other settings: after as many hours, counted from the same time. */
export async function changeReminders(
  trx: Trx,
  teamId: string,
  queueId: string,
  { remindHours }: AlertSettings,
): Promise<void> {
  if (remindHours === null) return forgetFailing(trx, teamId, queueId);
  const later = sql<number>`remind_at + (${remindHours} - hours) * ${sql.lit(3_600_000)}`;
  await change(
    trx,
    'failing_queues',
    { team_id: teamId, queue_id: queueId },
    { remind_at: later, hours: remindHours },
  );
}

export async function forgetFailing(trx: Trx, teamId: string, queueId: string): Promise<void> {
  await remove(trx, 'failing_queues', { team_id: teamId, queue_id: queueId });
}
