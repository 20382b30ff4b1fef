/** Hides the values of named fields in texts: JSON, queries, forms and XML, whole or cut. */

import { parsePath } from '../json/path.ts';

/** Stands for a value that is not shown. No header can have it. */
export const MASK = '••••••••';

/** At any depth. */
export function hasMask(thing: unknown): boolean {
  return JSON.stringify(thing).includes(MASK);
}

export const MASKED_NAME_CHARACTERS = 100;

/** Without the characters that end a name in JSON, a query, a path or a list. */
export function isMaskedName(text: string): boolean {
  return text.length <= MASKED_NAME_CHARACTERS && /^[\p{L}\p{M}\p{N}_.$@-]+$/u.test(text);
}

export interface Mask {
  hidesAny: boolean;
  hide(text: string): string;
  isHidden(name: string): boolean;
  /** Whether a path (§2.4) leads to or through a hidden field. */
  isHiddenPath(path: string): boolean;
  /** Puts the values of `stored` in place of masks; a mask without one, or with several, stays. */
  restore(text: string, stored: string): string;
}

export const NO_MASK: Mask = {
  hidesAny: false,
  hide: (text) => text,
  isHidden: () => false,
  isHiddenPath: () => false,
  restore: (text) => text,
};

/** `end` is exclusive; JSON strings have their quotes. */
interface Span {
  key: string;
  start: number;
  end: number;
  mask: string;
}

interface Patterns {
  /** A name and its separator, before a value. */
  field: RegExp;
  tag: RegExp;
  name: RegExp;
  isHiddenPath: (path: string) => boolean;
}

/** @param names in any case */
export function createMask(names: readonly string[]): Mask {
  if (names.length === 0) return NO_MASK;
  const known = new Set(names.map((name) => name.toLowerCase()));
  const isHidden = (name: string) => known.has(name.toLowerCase());
  // A path that can't be read, and one of an error, is a text.
  const isHiddenPath = (path: string) =>
    patterns.name.test(path) || parsePath(path)?.some((step) => isHidden(String(step))) === true;
  const patterns = { ...writePatterns(names), isHiddenPath };
  const spansOf = (text: string) => findSpans(text, patterns);
  return {
    hidesAny: true,
    hide: (text) => replaceSpans(text, spansOf(text), ({ mask }) => mask),
    isHidden,
    isHiddenPath,
    restore: (text, stored) => {
      if (!text.includes(MASK)) return text;
      const [shown, kept] = [spansOf(text), spansOf(stored)];
      // Otherwise an element of a list may be another's, so only equal values are certain.
      const isInOrder = countEdits(gapsOf(text, shown), gapsOf(stored, kept)) <= 1;
      const values = kept.map(({ start, end }) => stored.slice(start, end));
      const equal = findEqual(kept, values);
      return replaceSpans(text, shown, ({ key, start, end, mask }, at) => {
        const given = text.slice(start, end);
        if (given !== mask) return given;
        if (isInOrder) return kept[at]?.key === key ? (values[at] ?? given) : given;
        return equal.get(key)?.pop() ?? given;
      });
    },
  };
}

function findEqual(spans: readonly Span[], values: readonly string[]): Map<string, string[]> {
  const byKey = Map.groupBy(values, (_, at) => spans[at]?.key ?? '');
  return new Map([...byKey].filter(([, [first, ...more]]) => more.every((each) => each === first)));
}

const SPACES = String.raw`(?:\s|%20|\+)*`;

function writePatterns(names: readonly string[]): Omit<Patterns, 'isHiddenPath'> {
  const spelled = [...new Set(names.flatMap(spellingsOf))]
    .map((name) => RegExp.escape(name))
    .join('|');
  const field = [
    // "name":
    `"(?<json>${spelled})(?<backslashes>\\\\*)"${SPACES}:${SPACES}`,
    // name= or group[name]= or name[part]= or name.part=
    `(?<![\\w-])(?<query>${spelled})\\]?(?:[.[][^=&?#;\\s"'<>]{0,${MASKED_NAME_CHARACTERS}})?${SPACES}=`,
    // <name>
    `<(?:[\\w-]+:)?(?<xml>${spelled})(?=[\\s/>])`,
    // A header in a command.
    `--header '(?<header>${spelled}): `,
    // An assertion's error (§2.7); its path is cut.
    String.raw`JSON path (?<path>[\s\S]{1,210}?) equals: `,
    '(?<url>https?:\\/\\/)',
  ];
  return {
    field: new RegExp(field.join('|'), 'giu'),
    tag: new RegExp(`<(?<slash>\\\\*\\/)?(?:[\\w-]+:)?(?:${spelled})(?=[\\s/>])`, 'giu'),
    name: new RegExp(`(?<![\\w-])(?:${spelled})(?![\\w-])`, 'iu'),
  };
}

function spellingsOf(name: string): string[] {
  return [name, ...[name.toLowerCase(), name.toUpperCase()].map(encodeURIComponent)];
}

function replaceSpans(
  text: string,
  spans: readonly Span[],
  write: (span: Span, at: number) => string,
): string {
  let written = '';
  let from = 0;
  for (const [at, span] of spans.entries()) {
    written += text.slice(from, span.start) + write(span, at);
    from = span.end;
  }
  return written + text.slice(from);
}

/** Forms send a line break as one character. */
function gapsOf(text: string, spans: readonly Span[]): string[] {
  const starts = [0, ...spans.map(({ end }) => end)];
  return starts.map((from, at) => text.slice(from, spans[at]?.start).replaceAll('\r\n', '\n'));
}

function countEdits(gaps: readonly string[], stored: readonly string[]): number {
  if (gaps.length !== stored.length) return Infinity;
  return gaps.filter((gap, at) => gap !== stored[at]).length;
}

/** In order, none within another. Also those with escapes, such as `c%61rd=` or `\u0022card\u0022:`. */
function findSpans(text: string, patterns: Patterns): Span[] {
  const spans = findPlain(text, patterns);
  const decoded = decode(text);
  if (decoded === null) return spans;
  const { starts } = decoded;
  const escaped = findPlain(decoded.text, patterns).map((span): Span => {
    const [start = 0, end = text.length] = [starts[span.start], starts[span.end]];
    const isSame = text[start] === decoded.text[span.start];
    return { key: span.key, start, end, mask: isSame ? span.mask : MASK };
  });
  return join([...spans, ...escaped]);
}

/** A plain one precedes its escaped one. */
function join(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && (span.start < last.end || span.start === last.start))
      last.end = Math.max(last.end, span.end);
    else joined.push({ ...span });
  }
  return joined;
}

/** Not of spaces, because they would end a value. */
const ESCAPE =
  /\\u(?!00[01]|0020)(?<unit>[\da-f]{4})|%(?!20)(?<byte>[2-7][\da-f])|&(?<entity>quot|lt|gt);/gi;
const ENTITIES: Record<string, string> = { quot: '"', lt: '<', gt: '>' };

/** `starts`: where each character was. Null: there are no escapes. */
function decode(text: string): { text: string; starts: Uint32Array } | null {
  const starts = new Uint32Array(text.length + 1);
  let decoded = '';
  let from = 0;
  const keep = (to: number) => {
    for (let at = from; at < to; at++) starts[decoded.length + at - from] = at;
    decoded += text.slice(from, to);
  };
  for (const match of text.matchAll(ESCAPE)) {
    keep(match.index);
    const { unit, byte, entity = '' } = match.groups ?? {};
    const code = unit ?? byte;
    starts[decoded.length] = match.index;
    decoded +=
      code === undefined
        ? (ENTITIES[entity.toLowerCase()] ?? '')
        : String.fromCharCode(Number.parseInt(code, 16));
    from = match.index + match[0].length;
  }
  if (from === 0) return null;
  keep(text.length);
  starts[decoded.length] = text.length;
  return { text: decoded, starts };
}

function findPlain(text: string, { field, tag, isHiddenPath }: Patterns): Span[] {
  const spans: Span[] = [];
  const whole = wholeOf(text);
  let urlEnd = 0;
  field.lastIndex = 0;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    const { json, backslashes = '', query, xml, header, path, url } = match.groups ?? {};
    const start = field.lastIndex;
    const add = (kind: string, { end, mask = MASK }: { end: number; mask?: string }) => {
      const name = json ?? query ?? xml ?? header ?? '';
      spans.push({ key: `${kind} ${name.toLowerCase()}`, start, end, mask });
      field.lastIndex = Math.max(start, end);
    };
    if (url !== undefined) {
      if (start > urlEnd) urlEnd = endOf(/[^\s"<>]*/y, text, start);
    } else if (json !== undefined) {
      const quote = `${backslashes}"`;
      add(`json${quote}`, {
        end: endOfJson(text, start, backslashes.length),
        mask: quote + MASK + quote,
      });
    } else if (query !== undefined) {
      const isInUrl = match.index < urlEnd;
      add('query', endOfPair(text, start, whole ?? (isInUrl ? URL_PART : FORM_PART)));
    } else if (xml !== undefined) add('xml', endOfElement(text, start, tag));
    else if (header !== undefined) add('header', { end: endOf(SHELL, text, start) });
    else if (path !== undefined && (isHiddenPath(path) || path.endsWith('…')))
      add('path', { end: text.length });
  }
  return spans;
}

/** @param level how many backslashes precede each quote: the JSON may be in a string of JSON */
function endOfJson(text: string, start: number, level: number): number {
  if (isQuoteAt(text, start, level)) return endOfString(text, start + level + 1, level);
  if (text[start] !== '{' && text[start] !== '[') return endOf(/[^,}\]\s\\"]*/y, text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
    else if (char === '"') at = endOfString(text, at + 1, level) - 1;
  }
  return text.length;
}

function isQuoteAt(text: string, at: number, level: number): boolean {
  return text.startsWith(`${'\\'.repeat(level)}"`, at);
}

/** Each level of escaping doubles the backslashes before a quote and adds one. */
function endOfString(text: string, start: number, level: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let run = 0;
    while (at - run > start && text[at - run - 1] === '\\') run++;
    if (run >= level && ((run - level) / (level + 1)) % 2 === 0) return at + 1;
  }
  return text.length;
}

function endOf(sticky: RegExp, text: string, start: number): number {
  sticky.lastIndex = start;
  sticky.exec(text);
  return sticky.lastIndex;
}

function wholeOf(text: string): RegExp | null {
  if (/^https?:\/\/\S*$/i.test(text)) return WHOLE_URL;
  return /^[^\s=&?:{}<>"']+=/.test(text) ? WHOLE_FORM : null;
}

const WHOLE_URL = /[^&#\s"<>]*/y;
const WHOLE_FORM = /[^&]*/y;
/** A quote that precedes a space or a mark isn't part of the value: it ends the URL in a command. */
const URL_PART = /(?:[^&#\s"<>'\\]|'(?![\s,;:.)\]}]|$)|\\(?!\\{0,7}"))*/y;
/** People write spaces and quotes into forms. */
const FORM_PART = /(?:[^&\n"<'\\]|'(?![\s,;:.)\]}]|$)|\\(?!\\{0,7}"))*/y;
const SHELL = /(?:[^']|'\\'')*/y;
const QUOTED = /(?<quote>\\{0,7}"|'(?=[^\s']))/y;

function endOfPair(text: string, start: number, unquoted: RegExp): { end: number; mask?: string } {
  QUOTED.lastIndex = start;
  const isPart = unquoted === URL_PART || unquoted === FORM_PART;
  const quote = isPart ? QUOTED.exec(text)?.groups?.['quote'] : undefined;
  if (quote === undefined) return { end: endOf(unquoted, text, start) };
  const end = text.indexOf(quote, start + quote.length);
  return { end: end === -1 ? text.length : end + quote.length, mask: quote + MASK + quote };
}

/** From behind the name, because attributes are part of the value. */
function endOfElement(text: string, start: number, tag: RegExp): { end: number; mask: string } {
  const single = endOf(/(?:[^<>/"']|"[^"]*"|'[^']*'|\/(?!>))*\/>/y, text, start);
  if (single > 0) return { end: single, mask: ` ${MASK}/>` };
  let depth = 1;
  tag.lastIndex = start;
  for (let match = tag.exec(text); match; match = tag.exec(text)) {
    depth += match.groups?.['slash'] === undefined ? 1 : -1;
    if (depth === 0) return { end: match.index, mask: `>${MASK}` };
  }
  return { end: text.length, mask: `>${MASK}` };
}
