/** Channels of alerts (§6.5). Their formats are in alerts/channels. */

import { LIMITS } from '../base/limits.ts';

export interface ChannelField {
  name: 'url' | 'token' | 'chat_id' | 'routing_key' | 'server' | 'addresses';
  label: string;
  /** Anyone with the value can post, so pages mask it. */
  isSecret: boolean;
  isRequired: boolean;
  /** Checked when saved; its host is judged when an alert is sent. */
  isUrl: boolean;
  /** Up to `MOST_ADDRESSES` email addresses. */
  isList?: true;
  pattern?: RegExp;
  maxLength: number;
  description: string;
  placeholder: string;
}

interface ChannelKindInfo {
  label: string;
  fields: readonly ChannelField[];
  /** Null: everybody knows. */
  isFoundIn: string | null;
}

const INCOMING_WEBHOOK: ChannelField = {
  name: 'url',
  label: 'Incoming webhook',
  isSecret: true,
  isRequired: true,
  isUrl: true,
  maxLength: LIMITS.urlCharacters,
  description:
    'Its address, which the chat makes. Anyone with it can post, so it is stored encrypted.',
  placeholder: 'https://',
};

const required = { isSecret: true, isRequired: true, isUrl: false, maxLength: 255 } as const;
const SERVER = { isSecret: false, isRequired: false, isUrl: true, maxLength: 255 } as const;
const ORIGIN = /^https?:\/\/[^/?#]+\/?$/i;

export const MOST_ADDRESSES = 20;

/** `email` has no fields and isn't listed. */
export const CHANNEL_KINDS = {
  'email-addresses': {
    label: 'Email addresses',
    fields: [
      {
        name: 'addresses',
        label: 'Addresses',
        isSecret: false,
        isRequired: true,
        isUrl: false,
        isList: true,
        maxLength: MOST_ADDRESSES * (LIMITS.emailCharacters + 2),
        description: `Up to ${MOST_ADDRESSES}, one per line. Each gets a link to confirm it, and nothing else before.`,
        placeholder: 'on-call@example.com',
      },
    ],
    isFoundIn: null,
  },
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
  mattermost: {
    label: 'Mattermost',
    fields: [INCOMING_WEBHOOK],
    isFoundIn: 'The product menu, “Integrations”, “Incoming Webhooks”, “Add Incoming Webhook”.',
  },
  ntfy: {
    label: 'ntfy',
    fields: [
      {
        ...required,
        name: 'url',
        label: 'Topic',
        isUrl: true,
        pattern: /^https?:\/\/[^/?#]+\/[\w-]{1,64}\/?$/i,
        maxLength: LIMITS.urlCharacters,
        description: 'Its address. Anyone with it can read the alerts, so it is stored encrypted.',
        placeholder: 'https://ntfy.sh/our-topic',
      },
      {
        ...required,
        name: 'token',
        label: 'Access token',
        isRequired: false,
        pattern: /^[!-~]+$/,
        description: 'Only if the topic requires one.',
        placeholder: 'tk_…',
      },
    ],
    isFoundIn: 'The topic is a name that you choose; a token is made in the account of the server.',
  },
  telegram: {
    label: 'Telegram',
    fields: [
      {
        ...required,
        name: 'token',
        label: 'Bot token',
        pattern: /^\d{1,20}:[\w-]{1,100}$/,
        description: 'Of a bot that is a member of the chat. It is kept encrypted.',
        placeholder: '110201543:AAHdq…',
      },
      {
        ...required,
        name: 'chat_id',
        label: 'Chat id',
        isSecret: false,
        pattern: /^(?:-?\d{1,20}|@\w{1,64})$/,
        description: 'A number, or the name of a public channel such as @our_alerts.',
        placeholder: '-1001234567890',
      },
      {
        ...SERVER,
        name: 'server',
        label: 'Bot API server',
        pattern: ORIGIN,
        description: 'Empty: that of Telegram.',
        placeholder: 'https://api.telegram.org',
      },
    ],
    isFoundIn:
      '@BotFather makes a bot and tells its token. The id is in what getUpdates answers after somebody has written in the chat.',
  },
  pagerduty: {
    label: 'PagerDuty',
    fields: [
      {
        ...required,
        name: 'routing_key',
        label: 'Integration key',
        pattern: /^[\w-]{1,64}$/,
        description: 'Of an integration “Events API V2”. It is kept encrypted.',
        placeholder: '',
      },
      {
        ...SERVER,
        name: 'server',
        label: 'Events API server',
        pattern: ORIGIN,
        description: 'Empty: that of the US; accounts in the EU have another.',
        placeholder: 'https://events.eu.pagerduty.com',
      },
    ],
    isFoundIn: 'The service’s “Integrations”, “Add an integration”, “Events API V2”.',
  },
  webhook: {
    label: 'Webhook',
    fields: [
      {
        ...required,
        name: 'url',
        label: 'Webhook address',
        isUrl: true,
        maxLength: LIMITS.urlCharacters,
        description: 'Gets a POST with JSON, signed with the team’s signing secret.',
        placeholder: 'https://',
      },
    ],
    isFoundIn: 'A program of yours; docs/alerts.md has its format under “Webhooks”.',
  },
} as const satisfies Record<string, ChannelKindInfo>;

export type KindWithFields = keyof typeof CHANNEL_KINDS;
export type PostedKind = Exclude<KindWithFields, 'email-addresses'>;

export type PostedChannel =
  | { kind: ChatKind; url: string }
  | { kind: 'webhook'; url: string }
  | { kind: 'ntfy'; url: string; token?: string }
  | { kind: 'telegram'; token: string; chat_id: string; server?: string }
  | { kind: 'pagerduty'; routing_key: string; server?: string };
export type ChatKind = Exclude<PostedKind, 'webhook' | 'ntfy' | 'telegram' | 'pagerduty'>;
export type ChannelOfKind<Kind extends PostedKind> = Extract<PostedChannel, { kind: Kind }>;
/** `email`: to every member. */
type MailedChannel =
  | { kind: 'email' }
  /** Normalized, in order, each once. */
  | { kind: 'email-addresses'; addresses: readonly string[] };
export type ChannelConfig = MailedChannel | PostedChannel;

export const DEFAULT_CHANNEL: ChannelConfig = { kind: 'email' };

export function isKindWithFields(text: string): text is KindWithFields {
  return Object.hasOwn(CHANNEL_KINDS, text);
}

export function isMailed(config: ChannelConfig): config is MailedChannel {
  return isMailedKind(config.kind);
}

export function isMailedKind(kind: ChannelConfig['kind']): boolean {
  return kind === 'email' || kind === 'email-addresses';
}

export function fieldsOfKind(kind: ChannelConfig['kind']): readonly ChannelField[] {
  return kind === 'email' ? [] : CHANNEL_KINDS[kind].fields;
}

export function nameOfKind(kind: ChannelConfig['kind']): string {
  return kind === 'email' ? 'Email' : CHANNEL_KINDS[kind].label;
}

/** A list has one line per item. */
export function valueOf(
  config: ChannelConfig,
  { name }: Pick<ChannelField, 'name'>,
): string | null {
  if (config.kind === 'email-addresses')
    return name === 'addresses' ? config.addresses.join('\n') : null;
  const values: Partial<Record<string, string>> = config;
  return values[name] ?? null;
}

/** Null: the default server of its kind, or email. */
export function originOf(config: ChannelConfig): string | null {
  const address = valueOf(config, { name: 'server' }) ?? valueOf(config, { name: 'url' });
  return address === null ? null : (URL.parse(address)?.origin ?? null);
}

export function isSameChannel(a: ChannelConfig, b: ChannelConfig): boolean {
  return (
    a.kind === b.kind &&
    fieldsOfKind(a.kind).every((field) => valueOf(a, field) === valueOf(b, field))
  );
}

export const MOST_CHANNELS = 20;
export const CHANNEL_NAME_CHARACTERS = 60;

/** A removed address that is added again gets a new id. */
export interface ChannelAddress {
  id: string;
  email: string;
  /** When a confirmation link was last mailed; null: not yet. */
  askedAt: number | null;
  confirmedAt: number | null;
  stoppedAt: number | null;
}

export type AddressState = 'waiting' | 'confirmed' | 'stopped';

export function stateOfAddress({ confirmedAt, stoppedAt }: ChannelAddress): AddressState {
  if (stoppedAt !== null) return 'stopped';
  return confirmedAt === null ? 'waiting' : 'confirmed';
}

/** Kept addresses keep their state; new ones wait for their confirmation. */
export function keepAddresses(
  before: readonly ChannelAddress[],
  emails: readonly string[],
  makeId: () => string,
): ChannelAddress[] {
  const fresh = { askedAt: null, confirmedAt: null, stoppedAt: null };
  return emails.map(
    (email) => before.find((each) => each.email === email) ?? { id: makeId(), email, ...fresh },
  );
}
