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

/** A notification channel for pages. Its address is a secret, because anyone with it can post. */
export interface ChannelView {
  kind: ChannelConfig['kind'];
  /** Its fields as they may be shown (`https://hooks.example/…3f9a`); none for email. */
  shown: readonly ShownField[];
  /** How many minutes notices wait for others, to be sent as one message. */
  collectMinutes: number | null;
  lastSentAt: number | null;
  /** The last error, even if a notice was sent since (then `lastSentAt` is later). */
  lastError: string | null;
  lastErrorAt: number | null;
}

export interface ShownField {
  name: ChannelField['name'];
  label: string;
  text: string;
}

/** A named channel, or the default one, which has the id `DEFAULT_REF` and no name. */
export interface ListedChannel extends ChannelView {
  id: string;
  name: string | null;
}

export type ChannelChoice = Pick<ListedChannel, 'id' | 'name' | 'kind'>;

export type ChannelOutcome =
  | ChannelSaving
  /** Another channel of the team has the same address, so each notification would be sent twice. */
  | { kind: 'same'; as: string };

/**
 * Managing notification channels, for admins (§5.8, §6.5). Inputs have been read by resources/channel.ts; ids may be any
 * text. Tests are sent by the notifier.
 */
export function createChannelWork({ channels, clock }: Store) {
  const findSame = async (teamId: string, config: ChannelConfig, except: string) => {
    const [first, named] = await Promise.all([channels.read(teamId), channels.list(teamId)]);
    const all = [{ id: DEFAULT_REF, name: 'the default channel', ...first }, ...named];
    const same = all.find((other) => other.id !== except && isSameChannel(other.config, config));
    return same ? ({ kind: 'same', as: same.name } as const) : null;
  };
  const listChannels = async (teamId: string): Promise<ListedChannel[]> => {
    const [first, named] = await Promise.all([channels.read(teamId), channels.list(teamId)]);
    return [
      { id: DEFAULT_REF, name: null, ...viewOf(first) },
      ...named.map(({ id, name, ...channel }) => Object.assign(viewOf(channel), { id, name })),
    ];
  };
  return {
    readChannel: async (teamId: string) => viewOf(await channels.read(teamId)),
    /** With secrets: for an admin who reveals them, for editing, and for a test. */
    readChannelConfig: async (teamId: string) => (await channels.read(teamId)).config,
    /** Replaces the default channel and forgets its errors. Waiting notices for it go to the new one. */
    setChannel: async (
      teamId: string,
      config: ChannelConfig,
      collectMinutes: number | null = null,
    ): Promise<ChannelOutcome> => {
      const same = await findSame(teamId, config, DEFAULT_REF);
      if (same) return same;
      await channels.save(teamId, config, collectMinutes);
      return { kind: 'saved', id: DEFAULT_REF };
    },
    /** The default first, then the others by name. */
    listChannels,
    /** The channels that crons and queues may name, in the same order; for every member. */
    listChannelChoices: async (teamId: string) =>
      (await listChannels(teamId)).map(({ id, name, kind }) => ({ id, name, kind })),
    /** The named channels with secrets, in the order of their names. */
    listChannelSettings: async (teamId: string) =>
      (await channels.list(teamId)).map(({ id, name, config, collectMinutes }) => {
        return { id, name, config, collectMinutes };
      }),
    findChannel: async (teamId: string, id: string) =>
      (await listChannels(teamId)).find((channel) => channel.id === id) ?? null,
    findChannelConfig: async (teamId: string, id: string) => {
      if (id === DEFAULT_REF) return (await channels.read(teamId)).config;
      return isId(id) ? ((await channels.find(teamId, id))?.config ?? null) : null;
    },
    addChannel: async (teamId: string, settings: ChannelSettings): Promise<ChannelOutcome> =>
      (await findSame(teamId, settings.config, '')) ?? channels.add(teamId, settings, clock.now()),
    editChannel: async (
      teamId: string,
      id: string,
      settings: ChannelSettings,
    ): Promise<ChannelOutcome> =>
      !isId(id)
        ? { kind: 'not-found' }
        : ((await findSame(teamId, settings.config, id)) ?? channels.change(teamId, id, settings)),
    /** Deletes a channel; crons, queues and waiting notices that name it use the default one. False: no such channel. */
    deleteChannel: async (teamId: string, id: string) => isId(id) && channels.delete(teamId, id),
    listChannelUsers: (teamId: string) => channels.listUsers(teamId),
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
/** Shorter texts are hidden whole: their end would be most of the secret. */
const LEAST_HIDDEN = 16;

/** The end of a secret, enough to distinguish two of them. */
function maskText(text: string): string {
  return `…${text.length > LEAST_HIDDEN ? text.slice(-SHOWN_CHARACTERS) : ''}`;
}

/** The origin of an address and its end, enough to distinguish two of them. */
export function maskUrl(url: string): string {
  const { origin } = new URL(url);
  return `${origin}/${maskText(url.slice(origin.length))}`;
}
