import { FIRST_ID, newId } from '#domain/ids';
import { notices as noticesTable } from '../tables/alerts.ts';
import { namesOf } from '../tables/table.ts';
import type { Row } from '../tables/tables.ts';
import type { Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { type ClaimedNotice, type NoticeKey, keyOf, readNotice } from './claimed-notices.ts';
import { FOLLOW_MS, lockGroup, type NoticeTarget } from './notice-rows.ts';
import { above, all, atMost, change, not, one, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

export type { ClaimedNotice, NoticeTarget };

/** A prepared `select *` would break when a later version adds a column. */
const NOTICE_ROW = namesOf(noticesTable.columns).join(', ');

/** Claims notices under a condition. Parameters: 1 team, 2 claim, 3 now, 4 lease until, 5 the most */
const claimNotices = (name: string, isDue: (dialect: Dialect) => string) =>
  preparedStatement<Row<'notices'>>(name, (dialect) => {
    const { $ } = dialect;
    const due = `select id from notices where team_id = ${$(1)} and ${isDue(dialect)}
    order by next_try_at, id limit ${$(5)}`;
    return `
  update notices set claim_id = ${$(2)}, next_try_at = ${$(4)}, attempts = attempts + 1,
    first_tried_at = coalesce(first_tried_at, ${$(3)})
  where team_id = ${$(1)} and ${dialect.isAmongFree(due)} returning ${NOTICE_ROW}`;
  });

const claimDue = claimNotices('claim-notices', ({ $ }) => `next_try_at <= ${$(3)}`);

/** Further parameters: 6 batch, 7 followers due by this time */
const claimFollowers = claimNotices(
  'claim-following-notices',
  ({ $ }) => `next_try_at <= ${$(7)} and batch_id = ${$(6)}`,
);

const MOST_TOGETHER = 100;

/** Notices report alerts. If the node of a claim dies, another one continues with the remaining `targets`. */
export const notices = {
  async scanWaiting({ main }: Context): Promise<{ teamId: string; nextDueAt: number }[]> {
    return main.read((db) =>
      db
        .selectFrom('notices as n')
        .innerJoin('teams as t', 't.id', 'n.team_id')
        .where('t.deleted_at', 'is', null)
        .groupBy('n.team_id')
        .select((eb) => ['n.team_id as teamId', eb.fn.min('n.next_try_at').as('nextDueAt')])
        .execute(),
    );
  },

  async claimDue(
    { main, sealer }: Context,
    teamId: string,
    { now, leaseMs, most }: { now: number; leaseMs: number; most: number },
  ): Promise<ClaimedNotice[]> {
    return main.transact(async (trx) => {
      const claim = [teamId, newId(now), now, now + leaseMs, most] as const;
      const first = await trx.rows(claimDue, claim);
      const rows = [...first, ...(await claimOthers(trx, first, claim))];
      const team = await one(trx, 'teams', { id: teamId }, ['name']);
      const claimed: ClaimedNotice[] = [];
      for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const notice = await readNotice(trx, sealer, row, team?.name ?? '');
        if (notice) claimed.push(notice);
        else await deleteNotice(trx, keyOf(row));
      }
      return claimed;
    });
  },

  /** False if another node has taken the claim over. */
  async keep(
    { main }: Context,
    notices: readonly NoticeKey[],
    targets: readonly NoticeTarget[],
    leaseUntil: number,
  ): Promise<boolean> {
    const [first] = notices;
    if (!first) return true;
    const ids = notices.map(({ id }) => id);
    const key = { team_id: first.teamId, id: ids, claim_id: first.claimId };
    const values = { targets: JSON.stringify(targets), next_try_at: leaseUntil };
    return (await change(main, 'notices', key, values)) === ids.length;
  },

  /** For a deleted channel. False if the default channel already has the alerts, or the claim is lost. */
  async fallBack({ main }: Context, notice: NoticeKey): Promise<boolean> {
    const { teamId, id, claimId, groupId } = notice;
    return main.transact(async (trx) => {
      const group = await lockGroup(trx, teamId, groupId);
      const own = group.find((row) => row.id === id && row.claim_id === claimId);
      if (!own || own.is_beside_default === 1) return false;
      const inGroup = { team_id: teamId, group_id: groupId };
      await change(trx, 'notices', { ...inGroup, id }, { channel_id: null });
      await change(trx, 'notices', { ...inGroup, id: not(id) }, { is_beside_default: 1 });
      return true;
    });
  },

  /**
   * The last notice of a group marks its alerts with `delivery`, in several transactions if they are many; then the
   * notice is deleted.
   */
  async finish(
    context: Context,
    notice: NoticeKey & Pick<ClaimedNotice, 'alertCount'>,
    delivery: 'sent' | 'failed',
  ): Promise<void> {
    if (delivery === 'sent' && (await leaveToOthers(context, notice))) return;
    let after = FIRST_ID;
    for (let left = notice.alertCount; left > MARKED_AT_ONCE; left -= MARKED_AT_ONCE) {
      const from = after;
      const last = await context.main.transact(async (trx) =>
        (await markSent(trx, notice, delivery)) ? markSome(trx, notice, delivery, from) : null,
      );
      if (last === null) return;
      after = last;
    }
    await context.main.transact(async (trx) => {
      if (await deleteNotice(trx, notice)) await markSome(trx, notice, delivery, after);
    });
  },
};

async function claimOthers(
  trx: Trx,
  first: readonly Row<'notices'>[],
  [teamId, claimId, now, leaseUntil]: readonly [string, string, number, number, number],
): Promise<Row<'notices'>[]> {
  const batches = new Set(first.flatMap(({ batch_id }) => batch_id ?? []));
  const rows: Row<'notices'>[] = [];
  for (const batchId of batches) {
    const most = MOST_TOGETHER - first.filter(({ batch_id }) => batch_id === batchId).length;
    const claim = [teamId, claimId, now, leaseUntil, most, batchId, now + FOLLOW_MS];
    rows.push(...(await trx.rows(claimFollowers, claim)));
  }
  return rows;
}

/** True if the group has other notices left; the last of them marks the alerts. */
async function leaveToOthers({ main }: Context, notice: NoticeKey): Promise<boolean> {
  return main.transact(async (trx) => {
    const group = await lockGroup(trx, notice.teamId, notice.groupId);
    return group.length > 1 && deleteNotice(trx, notice);
  });
}

const MARKED_AT_ONCE = 1_000;
/** False if the claim is lost. */
async function markSent(
  trx: Trx,
  { teamId, id, claimId }: NoticeKey,
  delivery: 'sent' | 'failed',
): Promise<boolean> {
  const key = { team_id: teamId, id, claim_id: claimId };
  const values = delivery === 'sent' ? { targets: '[]' } : { claim_id: claimId };
  return (await change(trx, 'notices', key, values)) === 1;
}

/**
 * Alerts that another channel marked as failed stay so.
 * @returns the last one looked at
 */
async function markSome(
  trx: Trx,
  { teamId, groupId }: NoticeKey,
  delivery: 'sent' | 'failed',
  after: string,
): Promise<string> {
  const choice = { columns: ['id'], order: ['id'], limit: MARKED_AT_ONCE } as const;
  const alerts = await all(trx, 'alerts', { notice_id: groupId, id: above(after) }, choice);
  const last = alerts.at(-1);
  if (!last) return after;
  const id = { ...above(after), and: atMost(last.id) };
  const marked = delivery === 'sent' ? { delivery: 'pending' as const } : {};
  await change(trx, 'alerts', { team_id: teamId, notice_id: groupId, id, ...marked }, { delivery });
  return last.id;
}

async function deleteNotice(
  trx: Trx,
  { teamId, id, claimId }: Omit<NoticeKey, 'groupId'>,
): Promise<boolean> {
  const removed = await remove(trx, 'notices', { team_id: teamId, id, claim_id: claimId });
  return removed === 1;
}
