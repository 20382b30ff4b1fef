import { HTTP_METHODS } from '#domain/http/exchange';
import type { JsonField } from '#domain/json/text';
import { LIMITS } from '#domain/base/limits';
import { isLongerThan } from '#domain/base/text-length';

/** By the names of §2.1 and §2.2. */
export type Fields = ReadonlyMap<string, JsonField>;

export type FieldError = readonly [field: string, messages: readonly string[]];

/** The input, or all errors in order (§7.1). */
export type Reading<Input> =
  | { ok: true; input: Input }
  | { ok: false; errors: readonly FieldError[] };

export class Findings {
  #byField = new Map<string, string[]>();

  add(field: string, message: string): void {
    const messages = this.#byField.get(field);
    if (messages) messages.push(message);
    else this.#byField.set(field, [message]);
  }

  settle<Input>(input: Input): Reading<Input> {
    if (this.#byField.size === 0) return { ok: true, input };
    return { ok: false, errors: [...this.#byField] };
  }
}

export type TextRule = (text: string) => string | null;

/** Null for absent, `null` and white space (§4.5). */
export function findGiven(fields: Fields, field: string): JsonField | null {
  const node = fields.get(field);
  if (node === undefined || node.kind === 'null') return null;
  return node.kind === 'string' && node.value.trim() === '' ? null : node;
}

/** A lone surrogate or a NUL can't be stored and returned unchanged, so it reads as the wrong type. */
export function isName(field: string): TextRule {
  return (text) => (text.isWellFormed() && !text.includes('\0') ? null : mustBeString(field));
}

/** In code points (§7.1). */
export function isAtMost(field: string, most: number): TextRule {
  const message = mustNotExceedCharacters(field, most);
  return (text) => (isLongerThan(text, most) ? message : null);
}

const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i;
/** Several times DNS's limit; parsing longer ones would cost too much. */
const MOST_AUTHORITY_CHARACTERS = LIMITS.urlCharacters;
const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

/**
 * §2.9. The URL parser would repair too much (white space, slashes, a missing host), and the stored URL has to be the
 * sent one. The address is checked when the request is sent.
 */
export function isSendableUrl(text: string): boolean {
  const authority = SCHEME_AND_AUTHORITY.exec(text)?.[1];
  if (authority === undefined || authority.includes('@')) return false;
  if (authority.length > MOST_AUTHORITY_CHARACTERS) return false;
  return !SPACE_OR_CONTROL.test(text) && text.isWellFormed() && URL.canParse(text);
}

/** §7, §7.1, §2.10, §2.6. The texts are part of the contract. */
export const MESSAGES = {
  nameRequired: 'A name for the cron job is required.',
  queueRequired: 'A queue name is required.',
  urlRequired: 'A target URL is required.',
  urlInvalid: 'The target URL must be a valid URL.',
  cronExpressionRequired: 'A cron expression is required.',
  cronExpressionInvalid: 'The cron expression is not a valid cron expression.',
  cronExpressionNeverRuns: 'The cron expression never produces a valid run time.',
  methodUnknown: `The method must be one of: ${HTTP_METHODS.join(', ')}.`,
  timeoutTooShort: `Timeout must be at least ${LIMITS.timeoutSeconds.least} second.`,
  timeoutTooLong: `Timeout cannot exceed ${LIMITS.timeoutSeconds.most} seconds (${LIMITS.timeoutSeconds.most / 60} minutes).`,
  alertThresholdUnknown: 'The alert threshold must be 1, 2, or 3.',
  delayTooLong: `The delay cannot exceed ${LIMITS.delaySeconds.most} seconds (${LIMITS.delaySeconds.most / 3600} hours).`,
  payloadTooDeep: `The payload field must not be nested deeper than ${LIMITS.payloadLevels} levels.`,
  tooManyHeaders: `The headers field must not have more than ${LIMITS.headerEntries} items.`,
  headersTooLarge: `The headers field must not be greater than ${LIMITS.headerBytes} bytes.`,
} as const;

/** `The timeout seconds field` (§7.1). */
function nameField(field: string): string {
  return `The ${field.replaceAll('_', ' ')} field`;
}

export const mustBeString = (field: string) => `${nameField(field)} must be a string.`;
export const mustBeInteger = (field: string) => `${nameField(field)} must be an integer.`;
export const mustBeBoolean = (field: string) => `${nameField(field)} must be true or false.`;
export const mustBeArray = (field: string) => `${nameField(field)} must be an array.`;
export const mustBeValidUrl = (field: string) => `${nameField(field)} must be a valid URL.`;
export const mustBeAtLeast = (field: string, least: number) =>
  `${nameField(field)} must be at least ${least}.`;
const mustNotExceedCharacters = (field: string, most: number) =>
  `${nameField(field)} must not be greater than ${most} characters.`;
