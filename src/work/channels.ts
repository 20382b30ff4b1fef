import { type ChannelRef, DEFAULT_REF } from '#domain/alerts/alert-settings';
import { isId } from '#domain/base/ids';
import {
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  isSameChannel,
  stateOfAddress,
  valueOf,
} from '#domain/alerts/notification-channel';
import type {
  AnyChannelSettings,
  Channel,
  ChannelSaving,
  ChannelSettings,
  ChannelUser,
} from '#store/alerts/channels';
import type { Store } from '#store/store';
import type { Doing } from './acting.ts';

export type { ChannelConfig, ChannelUser, ChannelSettings };

export type ListedChannel = ReturnType<typeof viewOf>;
export type ChannelView = Omit<ListedChannel, 'id' | 'name'>;
export type ShownAddress = ListedChannel['addresses'][number];
export type ChannelChoice = Pick<ListedChannel, 'id' | 'name' | 'kind'>;

export type ChannelOutcome =
  | ChannelSaving
  /** Each notification would be sent twice. */
  | { kind: 'same'; as: string };

/** Mails confirmation links to addresses that got none yet; returns at once. */
export type AskNewAddresses = (teamId: string) => void;

/** For admins (§5.8, §6.5). Inputs were read by resources/channel.ts; ids may be any text. */
export function createChannelWork(
  { channels, clock }: Store,
  doing: Doing,
  askNewAddresses: AskNewAddresses,
) {
  /** @param id null for a new one */
  const save = async (
    teamId: string,
    id: ChannelRef | null,
    settings: AnyChannelSettings,
  ): Promise<ChannelOutcome> => {
    const { name, config } = settings;
    const others = (await channels.list(teamId)).filter((other) => other.id !== id);
    const same = others.find((other) => isSameChannel(other.config, config));
    if (same) return { kind: 'same', as: same.name ?? 'the default channel' };
    const outcome = await (id === null
      ? channels.add(teamId, { ...settings, name: name ?? '' }, clock.now())
      : channels.change(teamId, id, settings));
    if (outcome.kind !== 'saved') return outcome;
    askNewAddresses(teamId);
    const action = id === null ? 'channel.added' : 'channel.edited';
    const subject = name !== null && { subject: { id: outcome.id, name } };
    // An address is secret, so only the kind is recorded.
    await doing.record(teamId, { action, ...subject, detail: config.kind });
    return outcome;
  };
  return {
    ...createChannelReads(channels),
    setChannel: (teamId: string, config: ChannelConfig, collectMinutes: number | null = null) =>
      save(teamId, DEFAULT_REF, { name: null, config, collectMinutes }),
    addChannel: (teamId: string, settings: ChannelSettings) => save(teamId, null, settings),
    editChannel: async (teamId: string, id: string, settings: ChannelSettings) =>
      isId(id) ? save(teamId, id, settings) : ({ kind: 'not-found' } as const),
    /** Crons, queues and waiting notifications that name it use the default. */
    deleteChannel: async (teamId: string, id: string) => {
      const channel = isId(id) ? await channels.find(teamId, id) : null;
      if (!channel || !(await channels.delete(teamId, id))) return false;
      await doing.recorded(teamId, 'channel.deleted', { id, name: channel.name ?? '' });
      return true;
    },
  };
}

function createChannelReads(channels: Store['channels']) {
  const find = async (teamId: string, id: string) =>
    id === DEFAULT_REF || isId(id) ? channels.find(teamId, id) : null;
  const listChannels = async (teamId: string) => (await channels.list(teamId)).map(viewOf);
  return {
    /** The default. */
    readChannel: async (teamId: string) => {
      const found = await channels.find(teamId, DEFAULT_REF);
      if (!found) throw new Error('a team has a default channel');
      return viewOf(found);
    },
    /** The default first, then by name. */
    listChannels,
    listChannelChoices: async (teamId: string) =>
      (await listChannels(teamId)).map(({ id, name, kind }) => ({ id, name, kind })),
    /** With secrets. */
    listChannelSettings: async (teamId: string) =>
      (await channels.list(teamId)).map((channel) =>
        Object.assign(viewOf(channel), { config: channel.config }),
      ),
    findChannel: async (teamId: string, id: string) => {
      const found = await find(teamId, id);
      return found && viewOf(found);
    },
    /** With secrets: for an admin, for editing, and for a test. */
    findChannelConfig: async (teamId: string, id: string) =>
      (await find(teamId, id))?.config ?? null,
    listChannelUsers: (teamId: string) => channels.listUsers(teamId),
  };
}

/** Without its address: anyone with it can post. */
function viewOf({ config, addresses, ...channel }: Channel) {
  const shown = fieldsOfKind(config.kind).flatMap((field) => {
    const value = field.isList ? null : valueOf(config, field);
    const { name, label } = field;
    return value === null ? [] : [{ name, label, text: show(field, value) }];
  });
  const { id, name, collectMinutes, lastSentAt, lastError, lastErrorAt } = channel;
  return {
    id,
    name,
    kind: config.kind,
    shown,
    /** Of the kind `email-addresses`; else empty. */
    addresses: addresses.map(addressOf),
    /** Null: each notification is sent alone. */
    collectMinutes,
    lastSentAt,
    /** Kept even if a notification was sent since. */
    lastError,
    lastErrorAt,
  };
}

/** `askedAt`: of the last confirmation link; null: none was mailed yet. */
function addressOf(address: Channel['addresses'][number]) {
  const { id, email, askedAt, stoppedAt } = address;
  return { id, email, state: stateOfAddress(address), askedAt, stoppedAt };
}

function show({ isSecret, isUrl }: ChannelField, value: string): string {
  if (!isSecret) return value;
  return isUrl ? maskUrl(value) : maskText(value);
}

const SHOWN_CHARACTERS = 4;
/** The end of a shorter text would be most of the secret. */
const LEAST_HIDDEN = 16;

/** The end distinguishes two of them. */
function maskText(text: string): string {
  return `…${text.length > LEAST_HIDDEN ? text.slice(-SHOWN_CHARACTERS) : ''}`;
}

export function maskUrl(url: string): string {
  const { origin } = new URL(url);
  return `${origin}/${maskText(url.slice(origin.length))}`;
}
