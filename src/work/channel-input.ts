import { COLLECT_MINUTES } from '#domain/alert-digest';
import {
  CHANNEL_KINDS,
  CHANNEL_NAME_CHARACTERS,
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  isPostedKind,
  originOf,
  valueOf,
} from '#domain/notification-channel';
import type { ChannelSettings } from '#store/alerts/channels';
import { type Fields, Findings, isAtMost, isName, isSendableUrl, type Reading } from './fields.ts';
import { readInteger, readRequiredText, readText, type TextRule } from './fields.ts';

const labels = Object.values(CHANNEL_KINDS).map(({ label }) => label);
const TEXTS = {
  kindUnknown: `The channel must be email, ${labels.join(', ')}.`,
  nameRequired: 'A name for the channel is required.',
  collectMinutes: `Notices are collected for ${COLLECT_MINUTES.least} to ${COLLECT_MINUTES.most} minutes.`,
  nameTaken: 'The team’s default channel is called that.',
  serverChanged: (word: string) => `Enter the ${word} again, because the server has changed.`,
} as const;

/** The name of the default channel, here and in a team's file. */
export const DEFAULT_NAME = 'default';

/**
 * Reads a notification channel (§6.5): `kind` (`email`, `slack` …) and the fields of that kind, such as `url`. The
 * target of an address is checked when something is sent. Never throws.
 *
 * @param current  the stored channel: a blank secret keeps its value, which the form does not show. With another kind
 * or server it has to be entered again, so that nobody learns a secret by sending it to a server of theirs.
 */
export function readChannelInput(fields: Fields, current: ChannelConfig): Reading<ChannelConfig> {
  const findings = new Findings();
  return findings.settle(readConfig(fields, current, findings));
}

/**
 * Reads the default channel: also `collect_minutes`, for how long notices wait for others; blank: each is sent by
 * itself.
 */
export function readDefaultChannelInput(
  fields: Fields,
  current: ChannelConfig,
): Reading<Omit<ChannelSettings, 'name'>> {
  const findings = new Findings();
  const config = readConfig(fields, current, findings);
  return findings.settle({ config, collectMinutes: readCollectMinutes(fields, findings) });
}

function readCollectMinutes(fields: Fields, findings: Findings): number | null {
  const { least, most } = COLLECT_MINUTES;
  const minutes = readInteger(fields, 'collect_minutes', findings);
  if (minutes !== null && (minutes < least || minutes > most))
    findings.add('collect_minutes', TEXTS.collectMinutes);
  return minutes;
}

/** Reads a named channel: also its `name`. */
export function readNamedChannelInput(
  fields: Fields,
  current: ChannelConfig,
): Reading<ChannelSettings> {
  const findings = new Findings();
  const name = readRequiredText(fields, 'name', NAME, findings).trim();
  const config = readConfig(fields, current, findings);
  return findings.settle({ name, config, collectMinutes: readCollectMinutes(fields, findings) });
}

const NAME = {
  missing: TEXTS.nameRequired,
  rules: [
    isName('name'),
    isAtMost('name', CHANNEL_NAME_CHARACTERS),
    (text: string) => (text.trim().toLowerCase() === DEFAULT_NAME ? TEXTS.nameTaken : null),
  ],
};

function readConfig(fields: Fields, current: ChannelConfig, findings: Findings): ChannelConfig {
  const kind = readText(fields, 'kind', [], findings) ?? 'email';
  if (kind === 'email') return { kind };
  if (!isPostedKind(kind)) {
    findings.add('kind', TEXTS.kindUnknown);
    return { kind: 'email' };
  }
  const read = fieldsOfKind(kind).flatMap((field) => {
    const given = readText(fields, field.name, rulesOf(field), findings);
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
    findings.add(field.name, TEXTS.serverChanged(wordOf(field)));
  return config;
}

/** The value of a form's field that removes a secret, which the form does not show. */
export const REMOVED = '-';

function rulesOf(field: ChannelField): TextRule[] {
  const looksWrong = `The ${wordOf(field)} does not look like one, such as ${field.placeholder || 'R0UT1NGK3Y'}.`;
  const isWrong = `The ${wordOf(field)} must be a valid URL.`;
  return [
    isName(field.name),
    (text) => (field.isUrl && !isSendableUrl(text) && text !== REMOVED ? isWrong : null),
    (text) => (isOdd(field, text) ? looksWrong : null),
    isAtMost(field.name, field.maxLength),
  ];
}

function isOdd({ pattern, isUrl }: ChannelField, text: string): boolean {
  if (pattern === undefined || text === REMOVED) return false;
  return !pattern.test(text) && (!isUrl || isSendableUrl(text));
}

/** A field's label as it stands inside a sentence: `incoming webhook`. */
function wordOf({ label }: ChannelField): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
