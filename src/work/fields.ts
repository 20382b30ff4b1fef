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

/** `The timeout seconds field` (§7.1); the texts are part of the contract. */
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
