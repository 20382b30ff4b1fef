import { type ChannelRef, DEFAULT_REF } from '#domain/alerts/alert-settings';
import { type Collection, joinCollection } from '#domain/alerts/alert-digest';
import { DEFAULT_CHANNEL } from '#domain/alerts/notification-channel';
import { newId } from '#domain/base/ids';
import type { Row } from '../tables/tables.ts';
import type { Trx } from '../database/database.ts';
import { add, all, change, one } from '../database/rows.ts';

/**
 * The channel as set at sending, every member by email ('members'), or one member. `asChannel`: the channel was email;
 * if it is now a chat, the chat gets it. `addressId`: likewise, one of the channel's addresses.
 */
export type NotificationTarget =
  | 'channel'
  | 'members'
  | { userId: string; asChannel?: true }
  | { addressId: string };

interface KnownChannel {
  kind: string;
  collectMinutes: number | null;
}

type KnownChannels = ReadonlyMap<ChannelRef, KnownChannel>;

/** Each of its channels gets one notification. */
export interface NewGroup {
  teamId: string;
  id: string;
  /** In addition to the channels (§6.4). */
  mailsMembers: boolean;
  channels: readonly ChannelRef[];
  alertCount: number;
  dueAt: number;
}

/** Call it only if there is a notification to write. */
export async function readKnownChannels(
  db: Trx,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, KnownChannels>> {
  const columns = ['team_id', 'id', 'is_default', 'kind', 'collect_minutes'] as const;
  const rows = await all(db, 'channels', { team_id: teamIds }, { columns });
  const known = new Map<string, Map<ChannelRef, KnownChannel>>();
  for (const { team_id, id, is_default, kind, collect_minutes } of rows) {
    // At PagerDuty each alert is an incident.
    const collectMinutes = kind === 'pagerduty' ? null : collect_minutes;
    const ofTeam = known.get(team_id) ?? new Map<ChannelRef, KnownChannel>();
    known.set(team_id, ofTeam.set(is_default === 1 ? DEFAULT_REF : id, { kind, collectMinutes }));
  }
  return known;
}

export async function addDefaultChannel(trx: Trx, teamId: string, now: number): Promise<void> {
  const { kind } = DEFAULT_CHANNEL;
  const row = { team_id: teamId, id: newId(now), is_default: 1, kind, created_at: now } as const;
  await add(trx, 'channels', row);
}

export function keyOfChannel(teamId: string, ref: ChannelRef) {
  return ref === DEFAULT_REF
    ? { team_id: teamId, is_default: 1 as const }
    : { team_id: teamId, is_default: 0 as const, id: ref };
}

/**
 * If the channel collects, notifications are due later, together.
 * @param isTogether one message for all groups, even if the channel doesn't collect
 */
export async function insertNotifications(
  trx: Trx,
  groups: readonly NewGroup[],
  known: ReadonlyMap<string, KnownChannels>,
  isTogether = false,
): Promise<void> {
  const notifications = groups.flatMap((group) => notificationsOf(group, known.get(group.teamId)));
  const byChannel = Map.groupBy(notifications, ({ teamId, ref }) => `${teamId} ${ref}`);
  // In one order, to prevent deadlocks.
  for (const key of [...byChannel.keys()].toSorted()) {
    const some = byChannel.get(key) ?? [];
    const [first] = some;
    if (!first) continue;
    const minutes = known.get(first.teamId)?.get(first.ref)?.collectMinutes ?? null;
    if (minutes !== null) await collect(trx, some, minutes);
    else if (isTogether && some.length > 1) putTogether(some);
  }
  await add(
    trx,
    'notifications',
    notifications.map(({ row }) => row),
  );
}

interface NewNotification {
  teamId: string;
  /** `members` for mails to members that belong to no channel. */
  ref: ChannelRef;
  row: Omit<Row<'notifications'>, 'first_tried_at' | 'attempts' | 'claim_id'>;
}

/** Claiming the first notification of a batch claims all. The others are due later, in case the first was deleted. */
export const FOLLOW_MS = 5_000;

function putTogether(notifications: readonly NewNotification[]): void {
  const [first] = notifications;
  const batchId = newId(first?.row.next_try_at ?? 0);
  for (const { row } of notifications) {
    row.batch_id = batchId;
    if (row !== first?.row) row.next_try_at += FOLLOW_MS;
  }
}

async function collect(
  trx: Trx,
  notifications: readonly NewNotification[],
  minutes: number,
): Promise<void> {
  const [first] = notifications;
  if (!first) return;
  const before = await lockCollection(trx, first);
  let open = before;
  for (const { row } of notifications) {
    const joined = joinCollection(open, row.next_try_at, minutes, newId);
    row.batch_id = joined.id;
    row.next_try_at = joined.until + (joined === open ? FOLLOW_MS : 0);
    open = joined;
  }
  if (open === before || open === null) return;
  const columns = { collecting_id: open.id, collecting_until: open.until };
  await change(trx, 'channels', keyOfChannel(first.teamId, first.ref), columns);
}

async function lockCollection(
  trx: Trx,
  { teamId, ref }: NewNotification,
): Promise<Collection | null> {
  const columns = ['collecting_id', 'collecting_until'] as const;
  const key = keyOfChannel(teamId, ref);
  const row = await one(trx, 'channels', key, columns, 'for no key update');
  if (!row || row.collecting_id === null || row.collecting_until === null) return null;
  return { id: row.collecting_id, until: row.collecting_until };
}

const MEMBERS = 'members';

function notificationsOf(
  { teamId, id, mailsMembers, channels, alertCount, dueAt }: NewGroup,
  known: KnownChannels = new Map(),
): NewNotification[] {
  const hasDefault = channels.includes(DEFAULT_REF);
  const recipients = [
    ...defaultNotifications(mailsMembers, hasDefault, known.get(DEFAULT_REF)),
    ...channels
      .filter((ref) => ref !== DEFAULT_REF && !(mailsMembers && known.get(ref)?.kind === 'email'))
      .map((ref) => ({ ref, targets: ['channel'] as NotificationTarget[] })),
  ];
  return recipients.map(({ ref, targets }) => {
    const channelId = ref === DEFAULT_REF || ref === MEMBERS ? null : ref;
    return {
      teamId,
      ref,
      row: {
        team_id: teamId,
        id: newId(dueAt),
        alert_count: alertCount,
        targets: JSON.stringify(targets),
        next_try_at: dueAt,
        channel_id: channelId,
        group_id: id,
        default_has_alerts: channelId !== null && hasDefault ? 1 : 0,
        batch_id: null,
      },
    };
  });
}

/** Queue alerts are always mailed to every member (§6.4), at once even if the default channel collects. */
function defaultNotifications(
  mailsMembers: boolean,
  hasDefault: boolean,
  channel: KnownChannel | undefined,
): { ref: ChannelRef; targets: NotificationTarget[] }[] {
  if (!hasDefault) return mailsMembers ? [{ ref: MEMBERS, targets: ['members'] }] : [];
  if (!mailsMembers) return [{ ref: DEFAULT_REF, targets: ['channel'] }];
  const isCollecting = (channel?.collectMinutes ?? null) !== null;
  if (!isCollecting || channel?.kind === 'email')
    return [{ ref: DEFAULT_REF, targets: ['channel', 'members'] }];
  return [
    { ref: DEFAULT_REF, targets: ['channel'] },
    { ref: MEMBERS, targets: ['members'] },
  ];
}

export function hasRecipients(mailsMembers: boolean, channels: readonly ChannelRef[]): boolean {
  return mailsMembers || channels.length > 0;
}

/** Of two nodes that finish the last two notifications, the second one must see that only its own is left. */
export async function lockGroup(trx: Trx, teamId: string, groupId: string) {
  const columns = ['id', 'claim_id', 'default_has_alerts'] as const;
  const choice = { columns, order: ['id'] as const, lock: 'for update' };
  return all(trx, 'notifications', { team_id: teamId, group_id: groupId }, choice);
}
