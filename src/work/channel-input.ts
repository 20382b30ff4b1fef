import { type ChannelConfig, CHAT_CHANNELS, isChatChannelKind } from '#domain/notification-channel';
import { type Fields, Findings, isAtMost, isSendableUrl, type Reading } from './fields.ts';
import { readText } from './fields.ts';
import { LIMITS } from './limits.ts';

const labels = Object.values(CHAT_CHANNELS).map(({ label }) => label);
const TEXTS = {
  kindUnknown: `The channel must be email, ${labels.join(', ')}.`,
  urlRequired: "The address of the chat's incoming webhook is required.",
  urlInvalid: "The address of the chat's incoming webhook must be a valid URL.",
} as const;

/**
 * Reads a notification channel (§6.5): `kind` (`email`, `slack`, `discord`, `teams`, `google-chat`) and, for
 * a chat, `url`. Where the address leads is judged when something is sent. Never throws.
 *
 * @param current  the channel as it is: a blank `url` keeps the address of the same chat, which the form
 *                 does not show
 */
export function readChannelInput(fields: Fields, current: ChannelConfig): Reading<ChannelConfig> {
  const findings = new Findings();
  const kind = readText(fields, 'kind', [], findings) ?? 'email';
  if (kind === 'email') return findings.settle<ChannelConfig>({ kind });
  if (!isChatChannelKind(kind)) {
    findings.add('kind', TEXTS.kindUnknown);
    return findings.settle<ChannelConfig>({ kind: 'email' });
  }
  const given = readText(fields, 'url', URL_RULES, findings);
  const url = given ?? (current.kind === kind ? current.url : null);
  if (url === null) findings.add('url', TEXTS.urlRequired);
  return findings.settle<ChannelConfig>({ kind, url: url ?? '' });
}

const URL_RULES = [
  (text: string) => (isSendableUrl(text) ? null : TEXTS.urlInvalid),
  isAtMost('url', LIMITS.urlCharacters),
];
