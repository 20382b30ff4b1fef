import {
  type ChannelConfig,
  DEFAULT_CHANNEL,
  isChatChannelKind,
} from '#domain/notification-channel';
import type { NotificationChannelsTable } from '../database/alerts-schema.ts';
import type { Database } from '../database/database.ts';
import type { Sealer } from '../database/seal.ts';

const URL_PLACE = 'notification_channels.url';

/** A team's notification channel, and how it has fared (§6.5). */
export interface Channel {
  config: ChannelConfig;
  /** True where its address can't be opened any more, so that `config` is the default. */
  isAddressLost: boolean;
  lastSentAt: number | null;
  lastError: string | null;
  lastErrorAt: number | null;
}

export interface MemberAddress {
  userId: string;
  email: string;
}

/** The one channel of each team. Its address is a secret, sealed at rest (§5.9). */
export class ChannelStore {
  readonly #db: Database;
  readonly #sealer: Sealer;

  constructor(db: Database, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  /** A team that has set none has email. */
  async read(teamId: string): Promise<Channel> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('notification_channels')
        .selectAll()
        .where('team_id', '=', teamId)
        .executeTakeFirst(),
    );
    const config = row ? this.#configOf(row) : DEFAULT_CHANNEL;
    return {
      config: config ?? DEFAULT_CHANNEL,
      isAddressLost: config === null,
      lastSentAt: row?.last_sent_at ?? null,
      lastError: row?.last_error ?? null,
      lastErrorAt: row?.last_error_at ?? null,
    };
  }

  /** Replaces the channel; what is still to be sent goes to the new one. */
  async save(teamId: string, config: ChannelConfig): Promise<void> {
    const columns = {
      kind: config.kind,
      sealed_url: config.kind === 'email' ? null : this.#sealer.seal(URL_PLACE, config.url),
      last_sent_at: null,
      last_error: null,
      last_error_at: null,
    };
    await this.#write(teamId, columns, columns);
  }

  async recordSent(teamId: string, now: number): Promise<void> {
    await this.#write(teamId, { kind: DEFAULT_CHANNEL.kind }, { last_sent_at: now });
  }

  async recordError(teamId: string, error: string, now: number): Promise<void> {
    const columns = { last_error: error, last_error_at: now };
    await this.#write(teamId, { kind: DEFAULT_CHANNEL.kind }, columns);
  }

  /** Where every member of a team gets mail, in the order in which they joined. */
  async listMemberAddresses(
    teamId: string,
    { onlyVerified }: { onlyVerified: boolean },
  ): Promise<MemberAddress[]> {
    const rows = await this.#db.read((db) =>
      db
        .selectFrom('memberships as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .select(['u.id', 'u.email'])
        .where('m.team_id', '=', teamId)
        .$if(onlyVerified, (query) => query.where('u.email_verified', '=', 1))
        .orderBy('m.created_at')
        .orderBy('u.id')
        .execute(),
    );
    return rows.map(({ id, email }) => ({ userId: id, email }));
  }

  /** @param initial  what a row that is new has besides `columns` */
  async #write(
    teamId: string,
    initial: { kind: string },
    columns: Partial<NotificationChannelsTable>,
  ): Promise<void> {
    await this.#db.transact((trx) =>
      trx
        .insertInto('notification_channels')
        .values({
          team_id: teamId,
          sealed_url: null,
          last_sent_at: null,
          last_error: null,
          last_error_at: null,
          ...initial,
          ...columns,
        })
        .onConflict((oc) => oc.column('team_id').doUpdateSet(columns))
        .execute(),
    );
  }

  /** A channel that this version does not know, or that lacks its address, falls back on email; null for a lost address. */
  #configOf({ kind, sealed_url }: NotificationChannelsTable): ChannelConfig | null {
    if (!isChatChannelKind(kind) || sealed_url === null) return DEFAULT_CHANNEL;
    try {
      return { kind, url: this.#sealer.open(URL_PLACE, sealed_url) };
    } catch {
      return null;
    }
  }
}
