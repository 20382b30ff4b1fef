/** The kinds of fields with several values. */
import { type ChannelRef, DEFAULT_REF } from '#domain/alert-settings';
import type { Assertion } from '#domain/assertion';
import { parseAssertions } from '#domain/assertions';
import type { HeaderList } from '#domain/exchange';
import type { JsonField } from '#domain/json-text';
import { LIMITS } from '#domain/limits';
import { type Declared, field, type Optional } from './field.ts';
import { readHeaders } from './header-values.ts';
import { type Entry, JsonText } from './resource.ts';
import { readTags } from './tag-words.ts';

/** Tags (§2.13), as a list or as a text with commas or white space between them. */
export function tags(
  name: string,
  declared: Declared<readonly string[]>,
): Entry<readonly string[]> {
  return field<readonly string[]>(name, declared, {
    kind: 'tags',
    schema: { type: 'array', items: { type: 'string' } },
    initial: [],
    blank: [],
    read: (given, findings) => readTags(given, (message) => findings.add(name, message)),
    write: (value) => [...value],
  });
}

/** Headers to send (§2.1, §2.2, §2.10), in the order given. */
export function headers(name: string, declared: Declared<HeaderList>): Entry<HeaderList> {
  return field<HeaderList>(name, declared, {
    kind: 'headers',
    schema: {
      type: 'object',
      additionalProperties: { type: 'string' },
      maxProperties: LIMITS.headerEntries,
    },
    initial: [],
    blank: [],
    read: readHeaders,
    write: (value) => new Map(value),
  });
}

/** The JSON text of an object or a list, exactly as it is given (§2.6). */
export function json(
  name: string,
  {
    wrong,
    tooDeep,
    levels,
    ...declared
  }: { wrong: string; tooDeep: string; levels: number } & Optional<string>,
): Entry<string | null> {
  return field<string | null>(name, declared, {
    kind: 'json',
    schema: { type: ['object', 'array'], items: {} },
    initial: null,
    blank: null,
    read: (given, findings) => {
      if (given.kind !== 'object' && given.kind !== 'array') {
        findings.add(name, wrong);
        return undefined;
      }
      if (given.depth > levels) findings.add(name, tooDeep);
      return given.raw;
    },
    write: (value) => value && new JsonText(value),
  });
}

const NOT_JSON = 'Assertions must be a list written as JSON.';

/** Success assertions (§2.4), as a list or as its JSON text. */
export function assertions(
  name: string,
  declared: Declared<readonly Assertion[]>,
): Entry<readonly Assertion[]> {
  return field<readonly Assertion[]>(name, declared, {
    kind: 'assertions',
    schema: { type: 'array' },
    initial: [],
    blank: [],
    read: (given, findings) => {
      const list = parseGiven(given);
      const parsed = list === undefined ? { error: NOT_JSON } : parseAssertions(list);
      if (!('error' in parsed)) return parsed;
      findings.add(name, parsed.error);
      return undefined;
    },
    write: (value) => [...value],
  });
}

function parseGiven(given: JsonField): unknown {
  try {
    return JSON.parse(given.kind === 'string' ? given.value : given.raw) as unknown;
  } catch {
    return undefined;
  }
}

const CHANNELS = {
  notAList: 'The channels must be a list of names.',
  unknown: 'There is no such channel.',
} as const;

/** References to channels. Left out it is the team's default channel; an empty list notifies nobody. */
export function channels(
  name: string,
  declared: Declared<readonly ChannelRef[]>,
): Entry<readonly ChannelRef[]> {
  const initial = [DEFAULT_REF];
  return field<readonly ChannelRef[]>(name, declared, {
    kind: 'channels',
    schema: { type: 'array', items: { type: 'string' } },
    initial,
    blank: initial,
    read: (given, findings, { refOf = (each) => each }) => {
      const list = given.kind === 'array' ? (JSON.parse(given.raw) as unknown[]) : null;
      if (!list?.every((each) => typeof each === 'string')) {
        findings.add(name, CHANNELS.notAList);
        return undefined;
      }
      const refs = list.map((each) => refOf(each));
      if (refs.includes(null)) findings.add(name, CHANNELS.unknown);
      return [...new Set(refs.filter((ref) => ref !== null))];
    },
    write: (refs, { textOf = (ref) => ref }) => refs.map((ref) => textOf(ref)).toSorted(),
  });
}
