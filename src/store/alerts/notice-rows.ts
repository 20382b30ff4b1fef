import { sql } from 'kysely';
import { type ChannelRef, DEFAULT_REF } from '#domain/alert-settings';
import { newId } from '#domain/ids';
import type { AlertSource } from '#domain/maintenance';
import type { NoticesTable } from '../database/alerts-schema.ts';
import type { Trx } from '../database/database.ts';
import { type Dialect, type Fields, packRows, type RowOf } from '../database/dialect.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';

/**
 * Who is still to be told: the notice's channel as it is set when the notice is sent, every member by email
 * ('members'), or one member. `asChannel`: because the channel was email; once it is a chat, that is told instead.
 */
export type NoticeTarget = 'channel' | 'members' | { userId: string; asChannel?: true };

/** The ids of a team's channels besides the default, with their kinds. */
export type KnownChannels = ReadonlyMap<string, string>;

/** What is to be told of alerts that share a notice. */
export interface GroupToTell {
  teamId: string;
  /** What the alerts name. */
  id: string;
  kind: AlertSource['kind'];
  channels: readonly ChannelRef[];
  alertCount: number;
  dueAt: number;
}

/** The channels of teams that alerts may go to besides the default. Read only where something is told. */
export async function readKnownChannels(
  db: Trx,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, KnownChannels>> {
  const rows = await db
    .selectFrom('channels')
    .select(['team_id', 'id', 'kind'])
    .where('team_id', 'in', teamIds)
    .execute();
  const byTeam = Map.groupBy(rows, ({ team_id }) => team_id);
  return new Map(
    [...byTeam].map(([teamId, some]) => [teamId, new Map(some.map(({ id, kind }) => [id, kind]))]),
  );
}

const NOTICE = {
  team_id: 'id',
  id: 'id',
  alert_count: 'int',
  targets: 'text',
  next_try_at: 'bigint',
  channel_id: 'id',
  group_id: 'id',
  is_beside_default: 'int',
} as const satisfies Fields;

const NOTICE_COLUMNS = Object.keys(NOTICE).join(', ');

const insertNoticeRows = preparedStatement<never>(
  'insert-notices',
  (dialect) => `
  insert into notices (${NOTICE_COLUMNS}) select ${NOTICE_COLUMNS} from ${dialect.rows(NOTICE, 1)}`,
);

/** Writes a notice for each channel of each group. */
export async function insertNotices(
  trx: Trx,
  dialect: Dialect,
  groups: readonly GroupToTell[],
  known: ReadonlyMap<string, KnownChannels>,
): Promise<void> {
  const rows = groups.flatMap((group) => noticesOf(group, known.get(group.teamId)));
  if (rows.length > 0) await runPrepared(trx, dialect, insertNoticeRows, [packRows(NOTICE, rows)]);
}

/** The first one has the group's id: it is what a version before finds the alerts by. */
function noticesOf(
  { teamId, id, kind, channels, alertCount, dueAt }: GroupToTell,
  known: KnownChannels = new Map(),
): RowOf<typeof NOTICE>[] {
  const hasDefault = channels.includes(DEFAULT_REF);
  const targets: NoticeTarget[] = hasDefault ? ['channel'] : [];
  // Queue alerts are emailed to every member, whatever the channels are (§6.4).
  if (kind === 'queue') targets.push('members');
  const others = channels.filter(
    (ref) => ref !== DEFAULT_REF && !(kind === 'queue' && known.get(ref) === 'email'),
  );
  const told: { channelId: string | null; targets: readonly NoticeTarget[] }[] = [
    ...(targets.length > 0 ? [{ channelId: null, targets }] : []),
    ...others.map((channelId) => ({ channelId, targets: ['channel'] as const })),
  ];
  return told.map(({ channelId, targets: toTell }, at) => ({
    team_id: teamId,
    id: at === 0 ? id : newId(dueAt),
    alert_count: alertCount,
    targets: JSON.stringify(toTell),
    next_try_at: dueAt,
    channel_id: channelId,
    group_id: id,
    is_beside_default: channelId !== null && hasDefault ? 1 : 0,
  }));
}

/** Whether anybody is told by a notice of these channels. */
export function tellsAnybody(kind: AlertSource['kind'], channels: readonly ChannelRef[]): boolean {
  return kind === 'queue' || channels.length > 0;
}

/**
 * The notices of a group that are still there, held to the end of the transaction: of two nodes that end the last
 * two of them, the second finds itself alone.
 */
export async function holdGroup(
  trx: Trx,
  dialect: Dialect,
  teamId: string,
  groupId: string,
): Promise<
  Pick<NoticesTable, 'id' | 'claim_id' | 'channel_id' | 'is_beside_default' | 'targets'>[]
> {
  return trx
    .selectFrom('notices')
    .select(['id', 'claim_id', 'channel_id', 'is_beside_default', 'targets'])
    .where('team_id', '=', teamId)
    .where((eb) => eb.or([eb('group_id', '=', groupId), eb('id', '=', groupId)]))
    .orderBy('id')
    .modifyEnd(sql.raw(dialect.lock('for update')))
    .execute();
}
