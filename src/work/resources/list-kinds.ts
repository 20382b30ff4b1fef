import { type ChannelRef, DEFAULT_REF } from '#domain/alerts/alert-settings';
import type { Assertion } from '#domain/judging/assertion';
import { parseAssertions } from '#domain/judging/assertions';
import type { HeaderList } from '#domain/http/exchange';
import { isFramingHeader, isHeaderName, isHeaderValue } from '#domain/http/header-syntax';
import { type JsonField, readTopLevelFields } from '#domain/json/text';
import { LIMITS } from '#domain/base/limits';
import { type Fields, type Findings, mustBeArray } from '../fields.ts';
import { type Declared, field, type Optional } from './field.ts';
import { type Entry, JsonText } from './resource.ts';

/** A list or a text (§2.13). */
export function words(
  name: string,
  rule: WordRule,
  declared: Declared<readonly string[]>,
): Entry<readonly string[]> {
  return field<readonly string[]>(name, declared, {
    kind: 'words',
    initial: [],
    blank: [],
    read: (given, report) => readWords(rule, given, report),
    write: (value) => [...value],
  });
}

/** Request headers, in order (§2.1, §2.2, §2.10). */
export function headers(name: string, declared: Declared<HeaderList>): Entry<HeaderList> {
  const values = { additionalProperties: { type: 'string' }, maxProperties: LIMITS.headerEntries };
  return field<HeaderList>(name, declared, {
    kind: 'headers',
    schema: { type: 'object', ...values },
    initial: [],
    blank: [],
    read: (given, _report, { findings }) => readHeaders(given, findings),
    write: (value) => new Map(value),
  });
}

/** Not worth parsing: more than the bounds allow in any notation. */
const MOST_CHARACTERS = 16 * LIMITS.headerBytes;
const TOO_MANY = `The headers field must not have more than ${LIMITS.headerEntries} items.`;
const TOO_LARGE = `The headers field must not be greater than ${LIMITS.headerBytes} bytes.`;

/**
 * §2.1, §2.2, §2.10; an empty list reads as none. Each is checked only if number and size are within bounds, so an
 * absurd list gets one error. Names in messages are as given, with underscores.
 */
function readHeaders(given: JsonField, findings: Findings): HeaderList {
  const refuse = (message: string): HeaderList => {
    findings.add('headers', message);
    return [];
  };
  if (given.kind === 'array' && given.isEmpty) return [];
  if (given.kind !== 'object') return refuse(mustBeArray('headers'));
  if (given.raw.length > MOST_CHARACTERS) return refuse(TOO_LARGE);
  const entries = readTopLevelFields(given.raw);
  if (entries === null) return refuse(mustBeArray('headers'));
  return isWithinBounds(entries, refuse) ? checkEntries(entries, findings) : [];
}

function isWithinBounds(entries: Fields, refuse: (message: string) => void): boolean {
  let bytes = 0;
  for (const [name, node] of entries) {
    bytes += name.length + (node.kind === 'string' ? node.value.length : node.raw.length);
  }
  const isTooMany = entries.size > LIMITS.headerEntries;
  const isTooLarge = bytes > LIMITS.headerBytes;
  if (isTooMany) refuse(TOO_MANY);
  if (isTooLarge) refuse(TOO_LARGE);
  return !isTooMany && !isTooLarge;
}

function checkEntries(entries: Fields, findings: Findings): HeaderList {
  for (const name of entries.keys()) {
    if (isFramingHeader(name)) findings.add('headers', `The headers field must not set ${name}.`);
  }
  return [...entries].flatMap(([name, node]) => {
    const field = `headers.${name}`;
    const refuse = (rule: string) => findings.add(field, `The ${field} field must ${rule}.`);
    if (!isHeaderName(name)) refuse('have a valid HTTP header name');
    if (node.kind !== 'string') {
      refuse('be a string');
      return [];
    }
    if (!isHeaderValue(node.value)) refuse('be a valid HTTP header value');
    return [[name, node.value] as const];
  });
}

/** As given (§2.6). */
export function json(
  name: string,
  declared: { wrong: string; tooDeep: string; levels: number } & Optional<string>,
): Entry<string | null> {
  const { wrong, tooDeep, levels } = declared;
  return field<string | null>(name, declared, {
    kind: 'json',
    schema: { type: ['object', 'array'], items: {} },
    initial: null,
    blank: null,
    read: (given, report) => {
      if (given.kind !== 'object' && given.kind !== 'array') return report(wrong);
      return given.depth > levels ? report(tooDeep) : given.raw;
    },
    write: (value) => value && new JsonText(value),
  });
}

const NOT_JSON = 'Assertions must be a list written as JSON.';

/** A list or its JSON text (§2.4). */
export function assertions(
  name: string,
  declared: Declared<readonly Assertion[]>,
): Entry<readonly Assertion[]> {
  return field<readonly Assertion[]>(name, declared, {
    kind: 'assertions',
    initial: [],
    blank: [],
    read: (given, report) => {
      const list = parseJson(given.kind === 'string' ? given.value : given.raw);
      const parsed = list === undefined ? { error: NOT_JSON } : parseAssertions(list);
      return 'error' in parsed ? report(parsed.error) : parsed;
    },
    write: (value) => [...value],
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Default: the team's default channel; an empty list notifies no one. */
export function channels(
  name: string,
  declared: Declared<readonly ChannelRef[]>,
): Entry<readonly ChannelRef[]> {
  return field<readonly ChannelRef[]>(name, declared, {
    kind: 'channels',
    initial: [DEFAULT_REF],
    blank: [DEFAULT_REF],
    read: (given, report, { refOf = (each) => each }) => {
      const list = given.kind === 'array' ? (JSON.parse(given.raw) as unknown[]) : null;
      if (!list?.every((each) => typeof each === 'string'))
        return report('The channels must be a list of names.');
      const refs = list.map((each) => refOf(each)).filter((ref) => ref !== null);
      return refs.length < list.length ? report('There is no such channel.') : [...new Set(refs)];
    },
    write: (refs, { textOf = (ref) => ref }) => refs.map((ref) => textOf(ref)).toSorted(),
  });
}

export interface WordRule {
  most: number;
  /** Between the words of a text; by default commas and white space. */
  separators?: RegExp;
  /** The stored form, or null if it is wrong. */
  read: (word: string) => string | null;
  texts: { notAList: string; tooMany: string; wrong: (word: string) => string };
}

/** @returns in their stored form, in order, each once; undefined if they are wrong */
function readWords(
  { most, separators = /[\s,]+/, read, texts }: WordRule,
  given: JsonField,
  report: (message: string) => undefined,
): readonly string[] | undefined {
  const words = wordsOf(given, separators);
  if (typeof words === 'string') return report(texts[words]);
  // The message names only one wrong word.
  const wrong = words.find((word) => read(word) === null);
  if (wrong !== undefined) return report(texts.wrong(wrong));
  const kept = [...new Set(words.flatMap((word) => read(word) ?? []))].toSorted();
  return kept.length > most ? report(texts.tooMany) : kept;
}

/** Room for the most words, each written several times and in the longest way. */
const LONGEST_LIST = 16_384;

function wordsOf(given: JsonField, separators: RegExp): string[] | 'notAList' | 'tooMany' {
  if (given.kind !== 'string' && given.kind !== 'array') return 'notAList';
  if (given.raw.length > LONGEST_LIST) return 'tooMany';
  if (given.kind === 'string') return given.value.split(separators).filter((word) => word !== '');
  const list = JSON.parse(given.raw) as unknown[];
  return list.every((each) => typeof each === 'string') ? list : 'notAList';
}
