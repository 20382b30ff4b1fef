/** The kinds of fields with one value. Those of lists and mappings are in list-kinds.ts. */
import { formatUtcMinute, parseUtc } from '#domain/instant';
import type { JsonField } from '#domain/json-text';
import { LIMITS } from '#domain/limits';
import { formatRate, parseRate, type Rate } from '#domain/rate';
import { formatRetrySchedule, parseRetrySchedule } from '#domain/retry-schedule';
import { isAtMost, isSendableUrl, type TextRule } from '../fields.ts';
import { mustBeBoolean, mustBeInteger, mustBeString, mustBeValidUrl } from '../messages.ts';
import { type Declared, field, type Optional, type Required } from './field.ts';
import type { Entry } from './resource.ts';

interface TextLimits {
  most?: number;
  /** Checked before the length. */
  rules?: readonly TextRule[];
  schema?: object;
}

/** A text, byte for byte as it is given. Without `missing` it is optional. */
export function text(name: string, given: TextLimits & Required<string>): Entry<string>;
export function text(name: string, given: TextLimits & Optional<string>): Entry<string | null>;
export function text(
  name: string,
  {
    most,
    rules = [],
    schema,
    missing,
    ...declared
  }: TextLimits & Optional<string> & { missing?: string },
): Entry<string | null> {
  const all = most === undefined ? rules : [...rules, isAtMost(name, most)];
  const nothing = missing === undefined ? null : undefined;
  return field<string | null>(name, declared, {
    kind: 'text',
    schema: { type: 'string', ...(most !== undefined && { maxLength: most }), ...schema },
    initial: nothing,
    blank: nothing,
    missing,
    read: (given, findings) => {
      if (given.kind !== 'string') {
        findings.add(name, mustBeString(name));
        return undefined;
      }
      for (const rule of all) {
        const message = rule(given.value);
        if (message !== null) findings.add(name, message);
      }
      return given.value;
    },
  });
}

/** A URL that requests are sent to, or that people follow. */
export function url(name: string, given: { wrong?: string } & Required<string>): Entry<string>;
export function url(
  name: string,
  given: { wrong?: string } & Optional<string>,
): Entry<string | null>;
export function url(
  name: string,
  {
    wrong = mustBeValidUrl(name),
    ...declared
  }: { wrong?: string } & Optional<string> & { missing?: string },
): Entry<string | null> {
  const rules = [(given: string) => (isSendableUrl(given) ? null : wrong)];
  return text(name, { most: LIMITS.urlCharacters, rules, schema: { format: 'uri' }, ...declared });
}

/** One of several words. */
export function choice<Word extends string>(
  name: string,
  {
    words,
    wrong,
    initial,
    ...declared
  }: { words: readonly Word[]; wrong: string; initial: Word } & Declared<Word>,
): Entry<Word> {
  return field<Word>(name, declared, {
    kind: 'choice',
    schema: { type: 'string', enum: words },
    initial,
    read: (given, findings) => {
      if (given.kind !== 'string') findings.add(name, mustBeString(name));
      const word = words.find((known) => given.kind === 'string' && known === given.value);
      if (given.kind === 'string' && word === undefined) findings.add(name, wrong);
      return word;
    },
  });
}

const DECIMAL = /^-?\d+$/;

/**
 * A whole number, given as a JSON integer or as a decimal string (§4.5): `1.0` and `1e2` are not integers. Null if it
 * is none. One beyond the range of numbers is ±Infinity, which breaks any limit.
 */
export function integerOf(given: JsonField): number | null {
  const digits = given.kind === 'number' ? given.text : given.kind === 'string' ? given.value : '';
  // Adding zero turns -0 into 0.
  return DECIMAL.test(digits) ? Number(digits) + 0 : null;
}

interface Range {
  least: number;
  most: number;
  /** The message for a number outside; `tooSmall` and `tooLarge` where they differ. */
  outside?: string;
  tooSmall?: string;
  tooLarge?: string;
  /** The message for anything else than an integer. */
  wrong?: string;
  /** The word `none` removes the limit. */
  takesNone?: true;
}

/** A whole number within a range. */
export function integer<Initial extends number | null>(
  name: string,
  {
    least,
    most,
    outside = '',
    tooSmall = outside,
    tooLarge = outside,
    wrong,
    takesNone,
    initial,
    ...declared
  }: Range & {
    initial: Initial;
  } & Declared<number | Initial>,
): Entry<number | Initial> {
  return field<number | Initial>(name, declared, {
    kind: 'integer',
    schema: { type: ['integer', 'string'], pattern: DECIMAL.source, minimum: least, maximum: most },
    initial,
    blank: initial === null ? initial : undefined,
    read: (given, findings) => {
      if (takesNone && isNone(given)) return initial;
      const value = integerOf(given);
      if (value === null) findings.add(name, wrong ?? mustBeInteger(name));
      else if (value < least) findings.add(name, tooSmall);
      else if (value > most) findings.add(name, tooLarge);
      return value ?? undefined;
    },
  });
}

/** A whole number of a few, or none. */
export function oneOf<Value extends number>(
  name: string,
  { values, wrong, ...declared }: { values: readonly Value[]; wrong: string } & Optional<Value>,
): Entry<Value | null> {
  const range = { minimum: Math.min(...values), maximum: Math.max(...values) };
  return field<Value | null>(name, declared, {
    kind: 'integer',
    schema: { type: ['integer', 'string'], pattern: DECIMAL.source, ...range },
    initial: null,
    blank: null,
    read: (given, findings) => {
      const number = integerOf(given);
      if (number === null) findings.add(name, mustBeInteger(name));
      const value = values.find((known) => known === number);
      if (number !== null && value === undefined) findings.add(name, wrong);
      return value;
    },
  });
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
export function boolean(
  name: string,
  { initial, ...declared }: { initial: boolean } & Declared<boolean>,
): Entry<boolean> {
  return field<boolean>(name, declared, {
    kind: 'boolean',
    schema: { type: 'boolean' },
    initial,
    read: (given, findings) => {
      const value = BOOLEANS.get(given.kind === 'string' ? `"${given.value}"` : given.raw);
      if (value === undefined) findings.add(name, mustBeBoolean(name));
      return value;
    },
  });
}

interface InstantTexts {
  wrong: string;
  format?: (ms: number) => string;
}

/** A date and a time in UTC, as `2026-12-31 18:00` or as ISO 8601 with `Z`. Without `missing` it is optional. */
export function instant(name: string, given: InstantTexts & Required<number>): Entry<number>;
export function instant(name: string, given: InstantTexts & Optional<number>): Entry<number | null>;
export function instant(
  name: string,
  {
    wrong,
    format = formatUtcMinute,
    missing,
    ...declared
  }: InstantTexts & Optional<number> & { missing?: string },
): Entry<number | null> {
  const nothing = missing === undefined ? null : undefined;
  return field<number | null>(name, declared, {
    kind: 'instant',
    schema: { type: 'string', format: 'date-time' },
    initial: nothing,
    blank: nothing,
    missing,
    read: (given, findings) => {
      const at = given.kind === 'string' ? parseUtc(given.value) : null;
      if (at === null) findings.add(name, wrong);
      return at ?? undefined;
    },
    write: (value) => (value === null ? null : format(value)),
  });
}

/** A list of waits in seconds, as a text such as `1m, 30m, 3h`. A blank one is an empty list. */
export function durations(
  name: string,
  {
    wrong,
    initial,
    ...declared
  }: { wrong: string; initial: readonly number[] } & Declared<readonly number[]>,
): Entry<readonly number[]> {
  return field<readonly number[]>(name, declared, {
    kind: 'durations',
    schema: { type: 'string' },
    initial,
    blank: [],
    read: (given, findings) => {
      const list = given.kind === 'string' ? parseRetrySchedule(given.value) : null;
      if (list === null) findings.add(name, wrong);
      return list ?? undefined;
    },
    write: formatRetrySchedule,
  });
}

/** A rate such as `10/second`, or none. */
export function rate(
  name: string,
  { wrong, ...declared }: { wrong: string } & Optional<Rate>,
): Entry<Rate | null> {
  return field<Rate | null>(name, declared, {
    kind: 'rate',
    schema: { type: 'string' },
    initial: null,
    blank: null,
    read: (given, findings) => {
      if (isNone(given)) return null;
      const parsed = given.kind === 'string' ? parseRate(given.value) : null;
      if (parsed === null) findings.add(name, wrong);
      return parsed ?? undefined;
    },
    write: (value) => value && formatRate(value),
  });
}

function isNone(given: JsonField): boolean {
  return given.kind === 'string' && given.value === 'none';
}
