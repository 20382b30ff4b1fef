import { FIRST_ID, newId } from '#domain/base/ids';
import { sql } from '../database/sql.ts';
import { notifications as notificationsTable } from '../tables/alerts.ts';
import { namesOf } from '../tables/table.ts';
import type { Row } from '../tables/tables.ts';
import type { Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import {
  type ClaimedNotification,
  type NotificationKey,
  keyOf,
  readNotification,
} from './claimed-notifications.ts';
import { FOLLOW_MS, lockGroup, type NotificationTarget } from './notification-rows.ts';
import { above, all, change, not, one, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export type { ClaimedNotification, NotificationTarget };

/** A prepared `select *` would break when a later version adds a column. */
const NOTIFICATION_ROW = namesOf(notificationsTable.columns).join(', ');

/** $1 team, $2 claim, $3 now, $4 lease until, $5 limit */
const claimNotifications = (name: string, isDue: (dialect: Dialect) => string) =>
  preparedStatement<Row<'notifications'>>(name, (dialect) => {
    const { $ } = dialect;
    const due = `select id from notifications where team_id = ${$(1)} and ${isDue(dialect)}
    order by next_try_at, id limit ${$(5)}`;
    return `
  update notifications set claim_id = ${$(2)}, next_try_at = ${$(4)}, attempts = attempts + 1,
    first_tried_at = coalesce(first_tried_at, ${$(3)})
  where team_id = ${$(1)} and ${dialect.isAmongFree(due)} returning ${NOTIFICATION_ROW}`;
  });

const claimDue = claimNotifications('claim-notifications', ({ $ }) => `next_try_at <= ${$(3)}`);

/** $6 batch, $7 followers due by this time */
const claimFollowers = claimNotifications(
  'claim-following-notifications',
  ({ $ }) => `next_try_at <= ${$(7)} and batch_id = ${$(6)}`,
);

const MOST_TOGETHER = 100;

/** If the node of a claim dies, another one continues with the remaining `targets`. */
export const notifications = {
  async scanWaiting({ main }: Context): Promise<{ teamId: string; nextDueAt: number }[]> {
    return main.ask(sql<{ teamId: string; nextDueAt: number }>`
      select n.team_id as "teamId", min(n.next_try_at) as "nextDueAt"
      from notifications n join teams t on t.id = n.team_id
      where t.deleted_at is null group by n.team_id`);
  },

  async claimDue(
    { main, sealer }: Context,
    teamId: string,
    { now, leaseMs, most }: { now: number; leaseMs: number; most: number },
  ): Promise<ClaimedNotification[]> {
    return main.transact(async (trx) => {
      const claim = [teamId, newId(now), now, now + leaseMs, most] as const;
      const first = await trx.rows(claimDue, claim);
      const rows = [...first, ...(await claimOthers(trx, first, claim))];
      const team = await one(trx, 'teams', { id: teamId }, ['name']);
      const claimed: ClaimedNotification[] = [];
      for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const notification = await readNotification(trx, sealer, row, team?.name ?? '');
        if (notification) claimed.push(notification);
        else await deleteNotification(trx, keyOf(row));
      }
      return claimed;
    });
  },

  /** False if another node has taken the claim over. */
  async keep(
    { main }: Context,
    notifications: readonly NotificationKey[],
    targets: readonly NotificationTarget[],
    leaseUntil: number,
  ): Promise<boolean> {
    const [first] = notifications;
    if (!first) return true;
    const ids = notifications.map(({ id }) => id);
    const key = { team_id: first.teamId, id: ids, claim_id: first.claimId };
    const values = { targets: JSON.stringify(targets), next_try_at: leaseUntil };
    return (await change(main, 'notifications', key, values)) === ids.length;
  },

  /** For a deleted channel. False if the default channel already has the alerts, or the claim is lost. */
  async fallBack({ main }: Context, notification: NotificationKey): Promise<boolean> {
    const { teamId, id, claimId, groupId } = notification;
    return main.transact(async (trx) => {
      const group = await lockGroup(trx, teamId, groupId);
      const own = group.find((row) => row.id === id && row.claim_id === claimId);
      if (!own || own.default_has_alerts === 1) return false;
      const inGroup = { team_id: teamId, group_id: groupId };
      await change(trx, 'notifications', { ...inGroup, id }, { channel_id: null });
      await change(trx, 'notifications', { ...inGroup, id: not(id) }, { default_has_alerts: 1 });
      return true;
    });
  },

  /** The last notification of a group marks its alerts with `delivery`, in several transactions if they are many. */
  async finish(
    context: Context,
    notification: NotificationKey,
    delivery: 'sent' | 'failed',
  ): Promise<void> {
    if (delivery === 'sent' && (await leaveToOthers(context, notification))) return;
    let after: string | null = FIRST_ID;
    while (after !== null) {
      const step: Step = { delivery, after };
      after = await context.main.transact((trx) => markSome(trx, notification, step));
    }
  },
};

async function claimOthers(
  trx: Trx,
  first: readonly Row<'notifications'>[],
  [teamId, claimId, now, leaseUntil]: readonly [string, string, number, number, number],
): Promise<Row<'notifications'>[]> {
  const batches = new Set(first.flatMap(({ batch_id }) => batch_id ?? []));
  const rows: Row<'notifications'>[] = [];
  for (const batchId of batches) {
    const most = MOST_TOGETHER - first.filter(({ batch_id }) => batch_id === batchId).length;
    const claim = [teamId, claimId, now, leaseUntil, most, batchId, now + FOLLOW_MS];
    rows.push(...(await trx.rows(claimFollowers, claim)));
  }
  return rows;
}

/** True if the group has other notifications left. */
async function leaveToOthers({ main }: Context, notification: NotificationKey): Promise<boolean> {
  return main.transact(async (trx) => {
    const group = await lockGroup(trx, notification.teamId, notification.groupId);
    return group.length > 1 && deleteNotification(trx, notification);
  });
}

const MARKED_AT_ONCE = 1_000;

interface Step {
  delivery: 'sent' | 'failed';
  /** The last alert of the step before. */
  after: string;
}

/**
 * Deletes the notification with the last alerts. Those that another channel marked as failed stay so.
 * @returns the last alert of this step; null: no more are left, or the claim is lost
 */
async function markSome(
  trx: Trx,
  notification: NotificationKey,
  { delivery, after }: Step,
): Promise<string | null> {
  const { teamId: team_id, id, claimId: claim_id, groupId: notification_id } = notification;
  const choice = { columns: ['id'], order: ['id'], limit: MARKED_AT_ONCE } as const;
  const alerts = await all(trx, 'alerts', { notification_id, id: above(after) }, choice);
  // If this node dies, the next one sends nothing more.
  const values = delivery === 'sent' ? { targets: '[]' } : { claim_id };
  const isOurs =
    alerts.length < MARKED_AT_ONCE
      ? await deleteNotification(trx, notification)
      : (await change(trx, 'notifications', { team_id, id, claim_id }, values)) === 1;
  if (!isOurs) return null;
  const key = { team_id, id: alerts.map((alert) => alert.id) };
  const unmarked = delivery === 'sent' ? { delivery: 'pending' as const } : {};
  await change(trx, 'alerts', { ...key, ...unmarked }, { delivery });
  return alerts.length < MARKED_AT_ONCE ? null : (alerts.at(-1)?.id ?? null);
}

async function deleteNotification(
  trx: Trx,
  { teamId, id, claimId }: Omit<NotificationKey, 'groupId'>,
): Promise<boolean> {
  const removed = await remove(trx, 'notifications', { team_id: teamId, id, claim_id: claimId });
  return removed === 1;
}
