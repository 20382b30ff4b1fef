import { COLLECT_MINUTES } from '#domain/alerts/alert-digest';
import {
  CHANNEL_KINDS,
  CHANNEL_NAME_CHARACTERS,
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  isKindWithFields,
  MOST_ADDRESSES,
  originOf,
  valueOf,
} from '#domain/alerts/notification-channel';
import { LIMITS, rangeOf } from '#domain/base/limits';
import { isEmail, normalizeEmail } from '#domain/team/email-address';
import type { ChannelSettings } from '#store/alerts/channels';
import { type Fields, findGiven, type Findings, isAtMost, isName } from '../fields.ts';
import { isSendableUrl, type TextRule } from '../fields.ts';
import { integer, text } from './kinds.ts';
import { type WordRule, words } from './list-kinds.ts';
import type { Entry, Resource } from './resource.ts';

const labels = Object.values(CHANNEL_KINDS).map(({ label }) => label);
/** Also in a team file. */
const DEFAULT_NAME = 'default';

const KIND = text('kind', {
  option: {
    flags: '--kind <KIND>',
    help: 'its kind',
    choices: ['email', ...Object.keys(CHANNEL_KINDS)],
    isMandatory: true,
  },
});

const OPTIONS = {
  url: { flags: '--url <U>', help: 'the address of a webhook or a topic' },
  token: { flags: '--token <T>', help: 'a token' },
  chat_id: { flags: '--chat-id <ID>', help: 'the id of a chat' },
  routing_key: { flags: '--routing-key <K>', help: 'an integration key' },
  server: { flags: '--server <U>', help: 'another server than the usual one' },
} as const;

const ADDRESS_RULE: WordRule = {
  most: MOST_ADDRESSES,
  separators: /[\s,;]+/,
  read: (word) => (isEmail(normalizeEmail(word)) ? normalizeEmail(word) : null),
  texts: {
    notAList: 'The addresses must be a list of email addresses.',
    tooMany: `There can be at most ${MOST_ADDRESSES} addresses.`,
    wrong: (word) =>
      `${JSON.stringify(normalizeEmail(word).slice(0, LIMITS.emailCharacters))} is no valid email address.`,
  },
};

const ADDRESSES = words('addresses', ADDRESS_RULE, {
  option: { flags: '--address <EMAIL>', help: 'an email address, may be repeated' },
});

const VALUES = (Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]).map((name) => {
  const option = { ...OPTIONS[name], isSecret: true } as const;
  return [name, text(name, { option })] as const;
});

/**
 * An address's target is checked at sending.
 *
 * A blank secret keeps its stored value. With another kind or server it has to be entered again, so that no one learns
 * a secret by sending it to their own server.
 */
const CONFIG: Entry<ChannelConfig> = {
  parts: [KIND, ...VALUES.map(([, entry]) => entry), ADDRESSES].flatMap(({ parts }) => parts),
  initial: undefined,
  read: (fields, findings, { stored = { kind: 'email' } }) => readConfig(fields, findings, stored),
  write: (config) => [
    config.kind,
    ...VALUES.map(([name]) => valueOf(config, { name })),
    config.kind === 'email-addresses' ? [...config.addresses] : [],
  ],
};

function readConfig(fields: Fields, findings: Findings, current: ChannelConfig): ChannelConfig {
  const kind = KIND.read(fields, findings, {}) ?? (fields.has('kind') ? 'email' : current.kind);
  if (kind !== 'email' && !isKindWithFields(kind)) {
    findings.add('kind', `The channel must be email, ${labels.join(', ')}.`);
    return { kind: 'email' };
  }
  refuseForeign(kind, fields, findings);
  if (kind === 'email') return { kind };
  if (kind === 'email-addresses') return readAddresses(fields, findings);
  const read = fieldsOfKind(kind).flatMap((field) => {
    const given = text(field.name, { rules: rulesOf(field) }).read(fields, findings, {}) ?? null;
    if (given === REMOVED && !field.isRequired) return [];
    const stored = field.isSecret && current.kind === kind ? valueOf(current, field) : null;
    const value = given ?? stored;
    if (value === null && field.isRequired)
      findings.add(field.name, `The ${wordOf(field)} is required.`);
    return value === null ? [] : [{ field, value, isKept: given === null }];
  });
  const pairs = read.map(({ field, value }) => [field.name, value]);
  const config = { kind, ...Object.fromEntries(pairs) } as ChannelConfig;
  if (originOf(config) === originOf(current)) return config;
  for (const { field } of read.filter(({ field: { isUrl }, isKept }) => isKept && !isUrl))
    findings.add(field.name, `Enter the ${wordOf(field)} again, because the server has changed.`);
  return config;
}

/** If they were ignored, alerts would go elsewhere than the fields say. */
function refuseForeign(kind: ChannelConfig['kind'], fields: Fields, findings: Findings): void {
  const own = fieldsOfKind(kind).map(({ name }) => name);
  const has = own.length > 0 ? `; it has ${own.join(', ')}` : '';
  for (const { name } of CONFIG.parts) {
    const isOwn = name === 'kind' || own.some((each) => each === name);
    if (isOwn || findGiven(fields, name) === null) continue;
    findings.add(name, `A channel of kind ${kind} has no such field${has}.`);
  }
}

function readAddresses(fields: Fields, findings: Findings): ChannelConfig {
  const read = ADDRESSES.read(fields, findings, {});
  // A wrong one was reported.
  const isMissing = findGiven(fields, 'addresses') === null || read?.length === 0;
  if (isMissing) findings.add('addresses', 'Enter at least one email address.');
  return { kind: 'email-addresses', addresses: read ?? [] };
}

/** Removes a secret, which the form doesn't show. */
const REMOVED = '-';

function rulesOf(field: ChannelField): TextRule[] {
  const looksWrong = `The ${wordOf(field)} does not look like one, such as ${field.placeholder || 'R0UT1NGK3Y'}.`;
  const isWrong = `The ${wordOf(field)} must be a valid URL.`;
  return [
    isName(field.name),
    (given) => (field.isUrl && !isSendableUrl(given) && given !== REMOVED ? isWrong : null),
    (given) => (isOdd(field, given) ? looksWrong : null),
    isAtMost(field.name, field.maxLength),
  ];
}

function isOdd({ pattern, isUrl }: ChannelField, given: string): boolean {
  if (pattern === undefined || given === REMOVED) return false;
  return !pattern.test(given) && (!isUrl || isSendableUrl(given));
}

function wordOf({ label }: ChannelField): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** §6.5. */
export const DEFAULT_CHANNEL_FIELDS: Resource<Omit<ChannelSettings, 'name'>> = {
  config: CONFIG,
  collectMinutes: integer('collect_minutes', {
    ...COLLECT_MINUTES,
    initial: null,
    outside: `Notifications are collected for ${rangeOf(COLLECT_MINUTES)} minutes.`,
    option: {
      flags: '--collect-minutes <N>',
      help: 'collect notifications for so long and send them as one',
    },
  }),
};

export const CHANNEL: Resource<ChannelSettings> = {
  name: text('name', {
    missing: 'A name for the channel is required.',
    isTrimmed: true,
    rules: [
      isName('name'),
      isAtMost('name', CHANNEL_NAME_CHARACTERS),
      (given) =>
        given.trim().toLowerCase() === DEFAULT_NAME
          ? 'The team’s default channel is called that.'
          : null,
    ],
    option: { flags: '--name <N>', help: `its name, up to ${CHANNEL_NAME_CHARACTERS} characters` },
  }),
  ...DEFAULT_CHANNEL_FIELDS,
};
