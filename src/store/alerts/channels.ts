import {
  type AlertSettings,
  type ChannelRef,
  DEFAULT_REF,
  readAlertSettings,
} from '#domain/alerts/alert-settings';
import {
  type ChannelAddress,
  type ChannelConfig,
  DEFAULT_CHANNEL,
  isKindWithFields,
  keepAddresses,
  MOST_CHANNELS,
} from '#domain/alerts/notification-channel';
import { newId } from '#domain/base/ids';
import { sql } from '../database/sql.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Row } from '../tables/tables.ts';
import type { Database, Trx } from '../database/database.ts';
import { lockTeam } from '../database/lock-team.ts';
import { add, all, change, type Filter, not, one, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';
import { type TokenKey, takeOneTimeToken } from '../people/one-time-tokens.ts';
import { keyOfChannel } from './notification-rows.ts';

type ChannelColumns = Omit<
  Row<'channels'>,
  'team_id' | 'id' | 'is_default' | 'name' | 'created_at'
>;

const SHOWN = ['collect_minutes', 'last_sent_at', 'last_error', 'last_error_at'] as const;

/** The default has the id `DEFAULT_REF` and no name. */
export interface Channel extends RecordOf<Pick<ChannelColumns, (typeof SHOWN)[number]>> {
  id: ChannelRef;
  name: string | null;
  config: ChannelConfig;
  /** The address can't be decrypted; `config` is then email. */
  isAddressLost: boolean;
  /** Of the kind `email-addresses`; else empty. */
  addresses: readonly ChannelAddress[];
}

export interface ChannelSettings {
  name: string;
  config: ChannelConfig;
  collectMinutes: number | null;
}

/** The default has no name. */
export type AnyChannelSettings = Omit<ChannelSettings, 'name'> & Pick<Channel, 'name'>;

export interface ChannelUser {
  kind: 'cron' | 'queue';
  id: string;
  name: string;
  settings: AlertSettings;
}

export interface MemberAddress {
  userId: string;
  email: string;
}

export interface FoundAddress extends ChannelAddress {
  teamId: string;
  channelId: string;
  /** Null for the default channel. */
  channelName: string | null;
}

export type ChannelSaving =
  | { kind: 'saved'; id: string }
  | { kind: 'not-found' }
  | { kind: 'too-many' }
  | { kind: 'name-taken' };

/** Addresses are sealed at rest (§5.9). */
export const channels = {
  /** The default first, then by name. */
  async list(context: Context, teamId: string): Promise<Channel[]> {
    const order = ['is_default desc', 'name', 'id'] as const;
    const rows = await all(context.main, 'channels', { team_id: teamId }, { order });
    return rows.map((row) => channelOf(context, row));
  },

  async find(context: Context, teamId: string, ref: ChannelRef): Promise<Channel | null> {
    const row = await one(context.main, 'channels', keyOfChannel(teamId, ref));
    return row ? channelOf(context, row) : null;
  },

  async add(
    context: Context,
    teamId: string,
    settings: ChannelSettings,
    now: number,
  ): Promise<ChannelSaving> {
    const { name } = settings;
    return context.main.transact(async (trx) => {
      const names = await lockNames(trx, teamId);
      if (names.length >= MOST_CHANNELS) return { kind: 'too-many' };
      if (names.some((other) => other.name === name)) return { kind: 'name-taken' };
      const id = newId(now);
      const key = { team_id: teamId, id, is_default: 0, name, created_at: now } as const;
      await add(trx, 'channels', { ...key, ...columnsOf(context, settings) });
      return { kind: 'saved', id };
    });
  },

  /** Waiting notifications go to the new address. */
  async change(
    context: Context,
    teamId: string,
    ref: ChannelRef,
    settings: AnyChannelSettings,
  ): Promise<ChannelSaving> {
    const { name } = settings;
    return context.main.transact(async (trx) => {
      const names = await lockNames(trx, teamId);
      if (names.some((other) => other.name === name && other.id !== ref))
        return { kind: 'name-taken' };
      const key = keyOfChannel(teamId, ref);
      const before = await one(trx, 'channels', key, ['addresses'], LOCK);
      const columns = { name, ...columnsOf(context, settings, before) };
      const changed = await change(trx, 'channels', key, columns);
      return changed === 0 ? { kind: 'not-found' } : { kind: 'saved', id: ref };
    });
  },

  async delete({ main }: Context, teamId: string, channelId: string): Promise<boolean> {
    return (await remove(main, 'channels', keyOfChannel(teamId, channelId))) > 0;
  },

  /** Crons and queues with alert settings of their own. */
  async listUsers({ main }: Context, teamId: string): Promise<ChannelUser[]> {
    const rows = await listSources(main, { team_id: teamId, alert_settings: not(null) });
    return rows.map(({ kind, id, name, alert_settings }) => {
      return { kind, id, name, settings: readAlertSettings(alert_settings) };
    });
  },

  async record(
    { main }: Context,
    teamId: string,
    ref: ChannelRef,
    values: Partial<Pick<Row<'channels'>, 'last_sent_at' | 'last_error' | 'last_error_at'>>,
  ): Promise<void> {
    await change(main, 'channels', keyOfChannel(teamId, ref), values);
  },

  async findAddress(
    { main }: Context,
    teamId: string,
    addressId: string,
  ): Promise<FoundAddress | null> {
    return findAddress(await listAddressRows(main, teamId), addressId);
  },

  /** False: it was asked meanwhile, stopped or removed. So only one of several callers mails the link. */
  async recordAsked(
    { main }: Context,
    { teamId, id }: { teamId: string; id: string },
    { from, to }: { from: number | null; to: number | null },
  ): Promise<boolean> {
    const changed = await main.transact((trx) =>
      changeAddress(trx, teamId, id, { askedAt: to }, (present) => present.askedAt === from),
    );
    return changed !== null;
  },

  /** Uses up the token of a mailed link. Null: it or the address isn't valid. */
  async confirmAddress(
    { main }: Context,
    token: TokenKey,
    now: number,
  ): Promise<FoundAddress | null> {
    return main.transact(async (trx) => {
      const taken = await takeOneTimeToken(trx, token, now);
      if (taken === null) return null;
      return changeAddress(trx, taken.detail, taken.whom, { confirmedAt: now });
    });
  },

  /** Null: no such address, or it was stopped before. */
  async stopAddress(
    { main }: Context,
    teamId: string,
    addressId: string,
    now: number,
  ): Promise<FoundAddress | null> {
    return main.transact((trx) => changeAddress(trx, teamId, addressId, { stoppedAt: now }));
  },

  async listMemberAddresses(
    { main }: Context,
    teamId: string,
    { onlyVerified }: { onlyVerified: boolean },
  ): Promise<MemberAddress[]> {
    return main.ask(sql<MemberAddress>`
      select u.id as "userId", u.email from memberships m join users u on u.id = m.user_id
      where m.team_id = ${teamId} ${onlyVerified ? sql`and u.email_verified = 1` : sql``}
      order by m.created_at, u.id`);
  },
};

export async function listSources(db: Database, filter: Filter<'crons' | 'queues'>) {
  const choice = { columns: ['id', 'name', 'alert_settings'], order: ['name', 'id'] } as const;
  const [crons, queues] = [
    await all(db, 'crons', filter, choice),
    await all(db, 'queues', filter, choice),
  ];
  return [
    ...crons.map((row) => Object.assign(row, { kind: 'cron' as const })),
    ...queues.map((row) => Object.assign(row, { kind: 'queue' as const })),
  ];
}

const LOCK = 'for no key update';

function listAddressRows(db: Database | Trx, teamId: string, lock?: string) {
  const columns = ['team_id', 'id', 'name', 'addresses'] as const;
  const choice = { columns, order: ['id'] as const, ...(lock !== undefined && { lock }) };
  return all(db, 'channels', { team_id: teamId, addresses: not(null) }, choice);
}

type AddressRow = Pick<Row<'channels'>, 'team_id' | 'id' | 'name' | 'addresses'>;

function findAddress(rows: readonly AddressRow[], addressId: string): FoundAddress | null {
  for (const { team_id: teamId, id: channelId, name: channelName, addresses } of rows) {
    const found = readAddresses(addresses).find(({ id }) => id === addressId);
    if (found) return { ...found, teamId, channelId, channelName };
  }
  return null;
}

/** A stopped address stays stopped. */
async function changeAddress(
  trx: Trx,
  teamId: string,
  addressId: string,
  values: Partial<Pick<ChannelAddress, 'askedAt' | 'confirmedAt' | 'stoppedAt'>>,
  isExpected: (present: ChannelAddress) => boolean = () => true,
): Promise<FoundAddress | null> {
  const rows = await listAddressRows(trx, teamId, LOCK);
  const found = findAddress(rows, addressId);
  if (!found || found.stoppedAt !== null || !isExpected(found)) return null;
  const addresses = readAddresses(
    rows.find(({ id }) => id === found.channelId)?.addresses ?? null,
  ).map((each) => (each.id === addressId ? Object.assign(each, values) : each));
  const key = { team_id: teamId, id: found.channelId };
  await change(trx, 'channels', key, { addresses: JSON.stringify(addresses) });
  return { ...found, ...values };
}

function readAddresses(text: string | null): ChannelAddress[] {
  return text === null ? [] : (JSON.parse(text) as ChannelAddress[]);
}

/** New settings clear the last success and error, which were those of the old address. */
function columnsOf(
  { sealer, clock }: Context,
  { config, collectMinutes }: Pick<ChannelSettings, 'config' | 'collectMinutes'>,
  before?: Pick<Row<'channels'>, 'addresses'>,
): ChannelColumns {
  const columns = { ...UNUSED, kind: config.kind, collect_minutes: collectMinutes };
  if (config.kind === 'email-addresses') {
    const present = readAddresses(before?.addresses ?? null);
    const kept = keepAddresses(present, config.addresses, () => newId(clock.now()));
    return { ...columns, sealed_fields: null, addresses: JSON.stringify(kept) };
  }
  const { kind, ...fields } = config;
  const sealed_fields = kind === 'email' ? null : sealer.seal(PLACE, JSON.stringify(fields));
  return { ...columns, sealed_fields, addresses: null };
}

function channelOf(context: Context, row: Row<'channels'>): Channel {
  const config = configOf(context, row);
  return {
    ...toRecord(row, SHOWN),
    id: row.is_default === 1 ? DEFAULT_REF : row.id,
    name: row.name,
    config: config ?? DEFAULT_CHANNEL,
    isAddressLost: config === null,
    addresses: readAddresses(row.addresses),
  };
}

/** An unknown kind, and a channel without an address, become email; null if the address can't be opened. */
function configOf({ sealer }: Context, row: ChannelColumns): ChannelConfig | null {
  const { kind, sealed_fields, addresses } = row;
  if (kind === 'email-addresses')
    return { kind, addresses: readAddresses(addresses).map(({ email }) => email) };
  if (!isKindWithFields(kind) || sealed_fields === null) return DEFAULT_CHANNEL;
  try {
    const fields = JSON.parse(sealer.open(PLACE, sealed_fields)) as object;
    return { kind, ...fields } as ChannelConfig;
  } catch {
    return null;
  }
}

const UNUSED = {
  last_sent_at: null,
  last_error: null,
  last_error_at: null,
  collect_minutes: null,
  collecting_id: null,
  collecting_until: null,
} as const;

const PLACE = 'channels.sealed_fields';

/** Locks the team: no one adds or renames a channel meanwhile. */
async function lockNames(trx: Trx, teamId: string) {
  await lockTeam(trx, teamId);
  return all(trx, 'channels', { team_id: teamId, is_default: 0 }, { columns: ['id', 'name'] });
}
