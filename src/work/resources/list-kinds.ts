import { type ChannelRef, DEFAULT_REF } from '#domain/alert-settings';
import type { Assertion } from '#domain/assertion';
import { parseAssertions } from '#domain/assertions';
import type { HeaderList } from '#domain/exchange';
import { LIMITS } from '#domain/limits';
import { type Declared, field, type Optional } from './field.ts';
import { readHeaders } from './header-values.ts';
import { type Entry, JsonText } from './resource.ts';
import { readTags } from './tag-words.ts';

/** A list or a text (§2.13). */
export function tags(
  name: string,
  declared: Declared<readonly string[]>,
): Entry<readonly string[]> {
  return field<readonly string[]>(name, declared, {
    kind: 'tags',
    schema: { type: 'array', items: { type: 'string' } },
    initial: [],
    blank: [],
    read: readTags,
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
    schema: { type: 'array' },
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
    schema: { type: 'array', items: { type: 'string' } },
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
