import { DEFAULT_REF } from '#domain/alert-settings';
import { isId } from '#domain/ids';
import {
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  isSameChannel,
  valueOf,
} from '#domain/notification-channel';
import type { Channel, ChannelSaving, ChannelSettings, ChannelUser } from '#store/alerts/channels';
import type { Store } from '#store/store';

export type { ChannelConfig, ChannelSettings, ChannelUser };

/** A notification channel for pages. What it is reached by is a secret: whoever knows it can post. */
export interface ChannelView {
  kind: ChannelConfig['kind'];
  /** Its fields as they may be shown (`https://hooks.example/…3f9a`); none for email. */
  shown: readonly ShownField[];
  /** For so long notices wait for others, to be told as one. */
  collectMinutes: number | null;
  lastSentAt: number | null;
  /** The last error, also where it has worked since (then `lastSentAt` is later). */
  lastError: string | null;
  lastErrorAt: number | null;
}

export interface ShownField {
  name: ChannelField['name'];
  label: string;
  text: string;
}

/** One besides the default, or the default itself, whose id is `DEFAULT_REF` and which has no name of its own. */
export interface ListedChannel extends ChannelView {
  id: string;
  name: string | null;
}

/** What a form offers to choose from; nothing of it is secret. */
export type ChannelChoice = Pick<ListedChannel, 'id' | 'name' | 'kind'>;

export type ChannelOutcome =
  | ChannelSaving
  /** Another channel of the team leads to the same place, so that both would be told the same. */
  | { kind: 'same'; as: string };

/**
 * What an admin may do with the notification channels (§5.8, §6.5). Inputs have been read by channel-input.ts; ids may
 * be any text. Test sending is the notifier's.
 */
export interface ChannelWork {
  /** The default one. */
  readChannel(teamId: string): Promise<ChannelView>;
  /** With what is secret: for an admin who asks for it, for editing, and for a test. */
  readChannelConfig(teamId: string): Promise<ChannelConfig>;
  /** Replaces the default and forgets its errors; what is still to be sent by it goes to the new one. */
  setChannel(
    teamId: string,
    config: ChannelConfig,
    collectMinutes?: number | null,
  ): Promise<ChannelOutcome>;
  /** The default first, then the others by name. */
  listChannels(teamId: string): Promise<ListedChannel[]>;
  /** What crons and queues may name, in that order; for every member. */
  listChannelChoices(teamId: string): Promise<ChannelChoice[]>;
  /** With what is secret, by name, without the default. */
  listChannelSettings(teamId: string): Promise<(ChannelSettings & { id: string })[]>;
  findChannel(teamId: string, id: string): Promise<ListedChannel | null>;
  findChannelConfig(teamId: string, id: string): Promise<ChannelConfig | null>;
  addChannel(teamId: string, settings: ChannelSettings): Promise<ChannelOutcome>;
  editChannel(teamId: string, id: string, settings: ChannelSettings): Promise<ChannelOutcome>;
  /** What named it goes to the default again. False: no such channel. */
  deleteChannel(teamId: string, id: string): Promise<boolean>;
  /** The crons and queues that name a channel. */
  listChannelUsers(teamId: string): Promise<ChannelUser[]>;
}

export function createChannelWork({ channels, clock }: Store): ChannelWork {
  const findSame = async (teamId: string, config: ChannelConfig, except: string) => {
    const [first, named] = await Promise.all([channels.read(teamId), channels.list(teamId)]);
    const all = [{ id: DEFAULT_REF, name: 'the default channel', ...first }, ...named];
    const same = all.find((other) => other.id !== except && isSameChannel(other.config, config));
    return same ? ({ kind: 'same', as: same.name } as const) : null;
  };
  const listChannels = async (teamId: string) => {
    const [first, named] = await Promise.all([channels.read(teamId), channels.list(teamId)]);
    return [
      { id: DEFAULT_REF, name: null, ...viewOf(first) },
      ...named.map(({ id, name, ...channel }) => Object.assign(viewOf(channel), { id, name })),
    ];
  };
  return {
    readChannel: async (teamId) => viewOf(await channels.read(teamId)),
    readChannelConfig: async (teamId) => (await channels.read(teamId)).config,
    setChannel: async (teamId, config, collectMinutes = null) => {
      const same = await findSame(teamId, config, DEFAULT_REF);
      if (same) return same;
      await channels.save(teamId, config, collectMinutes);
      return { kind: 'saved', id: DEFAULT_REF };
    },
    listChannels,
    listChannelChoices: async (teamId) =>
      (await listChannels(teamId)).map(({ id, name, kind }) => ({ id, name, kind })),
    listChannelSettings: async (teamId) =>
      (await channels.list(teamId)).map(({ id, name, config, collectMinutes }) => {
        return { id, name, config, collectMinutes };
      }),
    findChannel: async (teamId, id) =>
      (await listChannels(teamId)).find((channel) => channel.id === id) ?? null,
    findChannelConfig: async (teamId, id) => {
      if (id === DEFAULT_REF) return (await channels.read(teamId)).config;
      return isId(id) ? ((await channels.find(teamId, id))?.config ?? null) : null;
    },
    addChannel: async (teamId, settings) =>
      (await findSame(teamId, settings.config, '')) ?? channels.add(teamId, settings, clock.now()),
    editChannel: async (teamId, id, settings) =>
      !isId(id)
        ? { kind: 'not-found' }
        : ((await findSame(teamId, settings.config, id)) ?? channels.change(teamId, id, settings)),
    deleteChannel: async (teamId, id) => isId(id) && channels.delete(teamId, id),
    listChannelUsers: (teamId) => channels.listUsers(teamId),
  };
}

function viewOf({
  config,
  collectMinutes,
  lastSentAt,
  lastError,
  lastErrorAt,
}: Channel): ChannelView {
  const shown = fieldsOfKind(config.kind).flatMap((field) => {
    const value = valueOf(config, field);
    const { name, label } = field;
    return value === null ? [] : [{ name, label, text: show(field, value) }];
  });
  return { kind: config.kind, shown, collectMinutes, lastSentAt, lastError, lastErrorAt };
}

function show({ isSecret, isUrl }: ChannelField, value: string): string {
  if (!isSecret) return value;
  return isUrl ? maskUrl(value) : maskText(value);
}

const SHOWN_CHARACTERS = 4;
/** Of a short text the end would be most of the secret. */
const LEAST_HIDDEN = 16;

/** Just enough to tell two of them apart. */
function maskText(text: string): string {
  return `…${text.length > LEAST_HIDDEN ? text.slice(-SHOWN_CHARACTERS) : ''}`;
}

/** Where it leads, and just enough to tell two of them apart. */
export function maskUrl(url: string): string {
  const { origin } = new URL(url);
  return `${origin}/${maskText(url.slice(origin.length))}`;
}
