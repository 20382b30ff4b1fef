import { HTTP_METHODS, type HttpMethod } from '#domain/exchange';
import type { JsonField } from '#domain/json-text';
import { LIMITS } from '#domain/limits';
import { isLongerThan } from '#domain/text-length';
import { MESSAGES } from './messages.ts';
import { mustBeBoolean, mustBeInteger, mustBeString } from './messages.ts';
import { mustBeValidUrl, mustNotExceedCharacters } from './messages.ts';

/** The fields that a caller gave, with the names of §2.1 and §2.2: the top level of a JSON body, or a form. */
export type Fields = ReadonlyMap<string, JsonField>;

/** A field with the text of every rule that it breaks; never an empty list. */
export type FieldError = readonly [field: string, messages: readonly string[]];

/** The outcome of reading a body: the input, or all its errors, in the order of the table (§7.1). */
export type Reading<Input> =
  | { ok: true; input: Input }
  | { ok: false; errors: readonly FieldError[] };

/** Collects broken rules; fields come out in the order in which they were first reported. */
export class Findings {
  #byField = new Map<string, string[]>();

  add(field: string, message: string): void {
    const messages = this.#byField.get(field);
    if (messages) messages.push(message);
    else this.#byField.set(field, [message]);
  }

  /** The outcome, once every field has been read. */
  settle<Input>(input: Input): Reading<Input> {
    if (this.#byField.size === 0) return { ok: true, input };
    return { ok: false, errors: [...this.#byField] };
  }
}

/** A rule for a text. Gives its message if the text breaks it. */
export type TextRule = (text: string) => string | null;

/** The field as given, or null when it is absent, `null`, or a string of nothing but white space (§4.5). */
export function findGiven(fields: Fields, field: string): JsonField | null {
  const node = fields.get(field);
  if (node === undefined || node.kind === 'null') return null;
  return node.kind === 'string' && node.value.trim() === '' ? null : node;
}

/** An optional text, byte for byte as given (§4.5), or null. */
export function readText(
  fields: Fields,
  field: string,
  rules: readonly TextRule[],
  findings: Findings,
): string | null {
  const node = findGiven(fields, field);
  if (node === null) return null;
  if (node.kind !== 'string') {
    findings.add(field, mustBeString(field));
    return null;
  }
  for (const rule of rules) {
    const message = rule(node.value);
    if (message !== null) findings.add(field, message);
  }
  return node.value;
}

/** Reads a required text. Gives an empty one if it is missing or wrong; the findings say why. */
export function readRequiredText(
  fields: Fields,
  field: string,
  demand: { missing: string; rules: readonly TextRule[] },
  findings: Findings,
): string {
  if (findGiven(fields, field) === null) findings.add(field, demand.missing);
  return readText(fields, field, demand.rules, findings) ?? '';
}

/**
 * A name that people give: any text that a database can hold.
 *
 * A lone surrogate or a NUL is in no Unicode text that could be stored and returned as it was given, so
 * it reads as the wrong type.
 */
export function isName(field: string): TextRule {
  return (text) => (text.isWellFormed() && !text.includes('\0') ? null : mustBeString(field));
}

/** Lengths are counted in code points (§7.1). */
export function isAtMost(field: string, most: number): TextRule {
  const message = mustNotExceedCharacters(field, most);
  return (text) => (isLongerThan(text, most) ? message : null);
}

/** A target URL: its own message, as §7 shows it. */
export const TARGET_URL_RULES: readonly TextRule[] = [
  (text) => (isSendableUrl(text) ? null : MESSAGES.urlInvalid),
  isAtMost('url', LIMITS.urlCharacters),
];

export const CALLBACK_URL_RULES: readonly TextRule[] = [
  (text) => (isSendableUrl(text) ? null : mustBeValidUrl('callback_url')),
  isAtMost('callback_url', LIMITS.urlCharacters),
];

const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i;
/** Several times what DNS allows. Parsing longer ones would cost too much. */
const MOST_AUTHORITY_CHARACTERS = LIMITS.urlCharacters;
const SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

/**
 * Whether a request could be sent to this URL (§2.9): absolute, http or https, with a host and without user info.
 *
 * The URL parser alone would repair too much (white space, a lone slash, back slashes, a missing host), and
 * what is stored has to be what is sent. Where the host leads is judged when the request is sent.
 */
export function isSendableUrl(text: string): boolean {
  const authority = SCHEME_AND_AUTHORITY.exec(text)?.[1];
  if (authority === undefined || authority.includes('@')) return false;
  if (authority.length > MOST_AUTHORITY_CHARACTERS) return false;
  return !SPACE_OR_CONTROL.test(text) && text.isWellFormed() && URL.canParse(text);
}

/** The method, or the default when none is given. Upper case only. */
export function readMethod(fields: Fields, initial: HttpMethod, findings: Findings): HttpMethod {
  const text = readText(fields, 'method', [], findings);
  if (text === null) return initial;
  const method = HTTP_METHODS.find((known) => known === text);
  if (method === undefined) findings.add('method', MESSAGES.methodUnknown);
  return method ?? initial;
}

const DECIMAL = /^-?\d+$/;

/**
 * A whole number, given as a JSON integer or as a decimal string (§4.5): `1.0` and `1e2` are not integers.
 * Null when none is given or what is given is no integer. One beyond what a number can hold is ±Infinity,
 * which breaks any range.
 */
export function readInteger(fields: Fields, field: string, findings: Findings): number | null {
  const node = findGiven(fields, field);
  if (node === null) return null;
  const digits = node.kind === 'number' ? node.text : node.kind === 'string' ? node.value : '';
  if (!DECIMAL.test(digits)) {
    findings.add(field, mustBeInteger(field));
    return null;
  }
  // Adding zero turns -0 into 0.
  return Number(digits) + 0;
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['"1"', true],
  ['"0"', false],
]);

/** True, false, 1, 0, "1" or "0" (§4.5). */
export function readBoolean(
  fields: Fields,
  field: string,
  initial: boolean,
  findings: Findings,
): boolean {
  const node = findGiven(fields, field);
  if (node === null) return initial;
  const written = node.kind === 'string' ? `"${node.value}"` : node.raw;
  const value = BOOLEANS.get(written);
  if (value === undefined) findings.add(field, mustBeBoolean(field));
  return value ?? initial;
}
