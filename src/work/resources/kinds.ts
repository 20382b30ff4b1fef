import { formatUtcMinute, parseUtc } from '#domain/base/instant';
import type { JsonField } from '#domain/json/text';
import { LIMITS } from '#domain/base/limits';
import { formatRate, parseRate, type Rate } from '#domain/team/rate';
import { formatRetrySchedule, parseRetrySchedule } from '#domain/judging/retry-schedule';
import {
  isAtMost,
  isSendableUrl,
  mustBeBoolean,
  mustBeInteger,
  mustBeString,
  mustBeValidUrl,
  type TextRule,
} from '../fields.ts';
import { type Declared, field, type Optional } from './field.ts';
import type { Entry } from './resource.ts';

interface TextLimits {
  most?: number;
  isTrimmed?: true;
  /** Checked before the length. */
  rules?: readonly TextRule[];
  schema?: object;
}
type MaybeRequired<Value> = Optional<Value> & { missing?: string };
/** Null is a value only of optional fields, which have no `missing`. */
type EntryOf<Value, Given> = Entry<Given extends { missing: string } ? Value : Value | null>;

/** Byte for byte, unless it is trimmed. Without `missing` it is optional. */
export function text<Given extends TextLimits & MaybeRequired<string>>(
  name: string,
  declared: Given,
): EntryOf<string, Given> {
  const { most, rules = [], isTrimmed, schema } = declared;
  const all = most === undefined ? rules : [...rules, isAtMost(name, most)];
  return field<string | null>(name, declared, {
    kind: 'text',
    schema: { type: 'string', ...(most !== undefined && { maxLength: most }), ...schema },
    ...noneOf(declared),
    read: (given, report) => {
      if (given.kind !== 'string') return report(mustBeString(name));
      const messages = all.map((rule) => rule(given.value));
      for (const message of messages) if (message !== null) report(message);
      return isTrimmed ? given.value.trim() : given.value;
    },
  }) as EntryOf<string, Given>;
}

function noneOf({ missing }: { missing?: string }) {
  return missing === undefined ? { initial: null, blank: null } : { initial: undefined };
}

function parsed<Value>(given: JsonField, parse: (text: string) => Value | null): Value | null {
  return given.kind === 'string' ? parse(given.value) : null;
}

export function url<Given extends { wrong?: string } & MaybeRequired<string>>(
  name: string,
  declared: Given,
): EntryOf<string, Given> {
  const { wrong = mustBeValidUrl(name) } = declared;
  const rules = [(given: string) => (isSendableUrl(given) ? null : wrong)];
  return text(name, { most: LIMITS.urlCharacters, rules, schema: { format: 'uri' }, ...declared });
}

export function choice<Word extends string>(
  name: string,
  declared: { words: readonly Word[]; wrong: string; initial: Word } & Declared<Word>,
): Entry<Word> {
  const { words, wrong, initial } = declared;
  return field<Word>(name, declared, {
    kind: 'choice',
    schema: { type: 'string', enum: words },
    initial,
    read: (given, report) => {
      if (given.kind !== 'string') return report(mustBeString(name));
      return words.find((known) => known === given.value) ?? report(wrong);
    },
  });
}

const DECIMAL = /^-?\d+$/;

/**
 * A JSON integer or a decimal string (§4.5): `1.0` and `1e2` aren't integers. Beyond the range of numbers it is
 * ±Infinity, which breaks any limit.
 */
function integerOf(given: JsonField): number | null {
  const digits = given.kind === 'number' ? given.raw : given.kind === 'string' ? given.value : '';
  // Turns -0 into 0.
  return DECIMAL.test(digits) ? Number(digits) + 0 : null;
}

function integerSchema(minimum: number, maximum: number) {
  return { type: ['integer', 'string'], pattern: DECIMAL.source, minimum, maximum };
}

interface Range<Initial> {
  least: number;
  most: number;
  initial: Initial;
  /** For a number outside, or `tooSmall` and `tooLarge`. */
  outside?: string;
  tooSmall?: string;
  tooLarge?: string;
  wrong?: string;
  /** The word `none` removes the limit. */
  takesNone?: true;
}

export function integer<Initial extends number | null>(
  name: string,
  declared: Range<Initial> & Declared<number | Initial>,
): Entry<number | Initial> {
  const { least, most, initial, outside = '', wrong = mustBeInteger(name) } = declared;
  const { tooSmall = outside, tooLarge = outside, takesNone } = declared;
  return field<number | Initial>(name, declared, {
    kind: 'integer',
    schema: integerSchema(least, most),
    initial,
    blank: initial === null ? initial : undefined,
    read: (given, report) => {
      if (takesNone && isNone(given)) return initial;
      const value = integerOf(given);
      if (value === null) return report(wrong);
      if (value < least) return report(tooSmall);
      return value > most ? report(tooLarge) : value;
    },
  });
}

export function oneOf<Value extends number>(
  name: string,
  declared: { values: readonly Value[]; wrong: string } & Optional<Value>,
): Entry<Value | null> {
  const { values, wrong } = declared;
  return field<Value | null>(name, declared, {
    kind: 'integer',
    schema: integerSchema(Math.min(...values), Math.max(...values)),
    ...noneOf({}),
    read: (given, report) => {
      const number = integerOf(given);
      if (number === null) return report(mustBeInteger(name));
      return values.find((known) => known === number) ?? report(wrong);
    },
  });
}

/** §4.5. */
export function boolean(
  name: string,
  declared: { initial: boolean } & Declared<boolean>,
): Entry<boolean> {
  return field<boolean>(name, declared, {
    kind: 'boolean',
    schema: { type: 'boolean' },
    initial: declared.initial,
    read: (given, report) => {
      const written = given.kind === 'string' ? `"${given.value}"` : given.raw;
      if (['true', '1', '"1"'].includes(written)) return true;
      return ['false', '0', '"0"'].includes(written) ? false : report(mustBeBoolean(name));
    },
  });
}

interface InstantTexts {
  wrong: string;
  format?: (ms: number) => string;
}

/** `2026-12-31 18:00` in UTC, or ISO 8601 with `Z`. Without `missing` it is optional. */
export function instant<Given extends InstantTexts & MaybeRequired<number>>(
  name: string,
  declared: Given,
): EntryOf<number, Given> {
  const { wrong, format = formatUtcMinute } = declared;
  return field<number | null>(name, declared, {
    kind: 'instant',
    ...noneOf(declared),
    read: (given, report) => parsed(given, parseUtc) ?? report(wrong),
    write: (value) => (value === null ? null : format(value)),
  }) as EntryOf<number, Given>;
}

/** Seconds, as `1m, 30m, 3h`. Blank is an empty list. */
export function durations(
  name: string,
  declared: { wrong: string; initial: readonly number[] } & Declared<readonly number[]>,
): Entry<readonly number[]> {
  return field<readonly number[]>(name, declared, {
    kind: 'durations',
    initial: declared.initial,
    blank: [],
    read: (given, report) => parsed(given, parseRetrySchedule) ?? report(declared.wrong),
    write: formatRetrySchedule,
  });
}

/** `10/second`, or none. */
export function rate(
  name: string,
  declared: { wrong: string } & Optional<Rate>,
): Entry<Rate | null> {
  return field<Rate | null>(name, declared, {
    kind: 'rate',
    ...noneOf({}),
    read: (given, report) =>
      isNone(given) ? null : (parsed(given, parseRate) ?? report(declared.wrong)),
    write: (value) => value && formatRate(value),
  });
}

function isNone(given: JsonField): boolean {
  return given.kind === 'string' && given.value === 'none';
}
