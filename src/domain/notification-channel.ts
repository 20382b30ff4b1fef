/** Where a team hears of alerts (§6.4, §6.5). What each one's posts look like is in alerts/channels. */

/** One thing that a channel has to be told, such as the address of an incoming webhook. */
export interface ChannelField {
  name: 'url';
  label: string;
  /** Whoever knows it can post: shown only in part. */
  isSecret: boolean;
  isRequired: boolean;
  /** An address, whose form is checked; where it leads is judged when something is sent. */
  isUrl: boolean;
  maxLength: number;
  description: string;
  placeholder: string;
}

interface ChannelKindInfo {
  label: string;
  fields: readonly ChannelField[];
  /** Where people find what the fields ask for. */
  isFoundIn: string;
}

const INCOMING_WEBHOOK: ChannelField = {
  name: 'url',
  label: 'Incoming webhook',
  isSecret: true,
  isRequired: true,
  isUrl: true,
  maxLength: 2048,
  description:
    'Its address, which the chat makes. Whoever knows it can post, so it is kept encrypted.',
  placeholder: 'https://',
};

/** Each kind's name, what it has to be told, and where people find that. Email needs nothing. */
export const CHANNEL_KINDS = {
  slack: {
    label: 'Slack',
    fields: [INCOMING_WEBHOOK],
    isFoundIn: 'An app of the workspace, “Incoming Webhooks”, “Add New Webhook to Workspace”.',
  },
  discord: {
    label: 'Discord',
    fields: [INCOMING_WEBHOOK],
    isFoundIn: 'The channel’s settings, “Integrations”, “Webhooks”, “Copy Webhook URL”.',
  },
  teams: {
    label: 'Microsoft Teams',
    fields: [INCOMING_WEBHOOK],
    isFoundIn:
      'The channel’s “Workflows”, the template that posts when a webhook request is received.',
  },
  'google-chat': {
    label: 'Google Chat',
    fields: [INCOMING_WEBHOOK],
    isFoundIn: 'The space’s “Apps & integrations”, “Webhooks”.',
  },
} as const satisfies Record<string, ChannelKindInfo>;

/** Every kind but email, which goes to people and not to an address of the team. */
export type PostedKind = keyof typeof CHANNEL_KINDS;

/** A channel with what its fields hold, by their names. */
export type PostedChannel = { kind: PostedKind; url: string };
export type ChannelConfig = { kind: 'email' } | PostedChannel;

/** A team that has chosen none hears by email. */
export const DEFAULT_CHANNEL: ChannelConfig = { kind: 'email' };

export function isPostedKind(text: string): text is PostedKind {
  return Object.hasOwn(CHANNEL_KINDS, text);
}

export function fieldsOfKind(kind: ChannelConfig['kind']): readonly ChannelField[] {
  return kind === 'email' ? [] : CHANNEL_KINDS[kind].fields;
}

export function nameOfKind(kind: ChannelConfig['kind']): string {
  return kind === 'email' ? 'Email' : CHANNEL_KINDS[kind].label;
}

/** What a channel's field holds; null where it is not set. */
export function valueOf(
  config: ChannelConfig,
  { name }: Pick<ChannelField, 'name'>,
): string | null {
  const values: Partial<Record<string, string>> = config;
  return values[name] ?? null;
}

/** Whether two lead to the same place, so that both would be told the same. */
export function isSameChannel(a: ChannelConfig, b: ChannelConfig): boolean {
  return (
    a.kind === b.kind &&
    fieldsOfKind(a.kind).every((field) => valueOf(a, field) === valueOf(b, field))
  );
}

/** How many a team may have besides its default, and how long their names may be. */
export const MOST_CHANNELS = 20;
export const CHANNEL_NAME_CHARACTERS = 60;
