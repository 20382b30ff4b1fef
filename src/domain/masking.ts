/** Hides the values of named fields in texts: JSON, queries, forms and XML, whole or cut. */

/** Stands for a value that is not shown. No header can have it. */
export const MASK = '••••••••';

/** Whether a value in it, at any depth, is hidden. */
export function hasMask(thing: unknown): boolean {
  return JSON.stringify(thing).includes(MASK);
}

export const MASKED_NAME_CHARACTERS = 100;

/** Without the characters that end a name in JSON, a query, a path or a list. */
export function isMaskedName(text: string): boolean {
  return text.length <= MASKED_NAME_CHARACTERS && /^[\p{L}\p{M}\p{N}_.$@-]+$/u.test(text);
}

export interface Mask {
  /** False: there are no names. */
  hidesAny: boolean;
  hide(text: string): string;
  isHidden(name: string): boolean;
  /** Whether a path (§2.4) leads to or through a hidden field. */
  isHiddenPath(path: string): boolean;
  /** Puts the values of `stored` in place of masks; a mask without one stays. */
  restore(text: string, stored: string): string;
}

export const NO_MASK: Mask = {
  hidesAny: false,
  hide: (text) => text,
  isHidden: () => false,
  isHiddenPath: () => false,
  restore: (text) => text,
};

/** From `start` to `end` exclusive; JSON strings with their quotes. */
interface Span {
  name: string;
  start: number;
  end: number;
  mask: string;
}

/** @param names in any case */
export function createMask(names: readonly string[]): Mask {
  if (names.length === 0) return NO_MASK;
  const known = new Set(names.map((name) => name.toLowerCase()));
  const spelled = [...new Set(names.flatMap(spellingsOf))].map(escape).join('|');
  const pattern = new RegExp(
    [
      // "name":
      `"(?<json>${spelled})(?<backslashes>\\\\*)"\\s*:\\s*`,
      // name= or group[name]=
      `(?:%5B|(?<![\\w-]))(?<query>${spelled})(?:\\]|%5D)?=`,
      // <name>
      `<(?:[\\w-]+:)?(?<xml>${spelled})(?:\\s[^<>]*)?>`,
      // An assertion's error (§2.7) repeats the value; its path is cut.
      'JSON path (?<path>.{1,210}?) equals: ',
    ].join('|'),
    'giu',
  );
  const inPath = new RegExp(`(?<![\\w-])(?:${spelled})(?![\\w-])`, 'iu');
  const spansOf = (text: string) => findSpans(text, pattern, inPath);
  return {
    hidesAny: true,
    hide: (text) => replaceSpans(text, spansOf(text), ({ mask }) => mask),
    isHidden: (name) => known.has(name.toLowerCase()),
    isHiddenPath: (path) => inPath.test(path),
    restore: (text, stored) => {
      if (!text.includes(MASK)) return text;
      const values = Map.groupBy(spansOf(stored), ({ name }) => name);
      const counts = new Map<string, number>();
      return replaceSpans(text, spansOf(text), ({ name, start, end, mask }) => {
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        const given = text.slice(start, end);
        const value = values.get(name)?.[count];
        return given === mask && value ? stored.slice(value.start, value.end) : given;
      });
    },
  };
}

/** As in JSON and in a query. */
function spellingsOf(name: string): string[] {
  const ascii = name.replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [name, encodeURIComponent(name), ascii];
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function replaceSpans(text: string, spans: readonly Span[], write: (span: Span) => string): string {
  let written = '';
  let from = 0;
  for (const span of spans) {
    written += text.slice(from, span.start) + write(span);
    from = span.end;
  }
  return written + text.slice(from);
}

/** In order, none within another. */
function findSpans(text: string, pattern: RegExp, inPath: RegExp): Span[] {
  const spans: Span[] = [];
  const isUrl = /^https?:\/\/\S*$/i.test(text);
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { json, backslashes = '', query, xml, path } = match.groups ?? {};
    if (path !== undefined && !inPath.test(path)) continue;
    const start = pattern.lastIndex;
    const name = (json ?? query ?? xml ?? path ?? '').toLowerCase();
    const quote = `${backslashes}"`;
    const span = (end: number, mask = MASK) => ({ name, start, end, mask });
    if (json !== undefined) {
      spans.push(span(endOfJson(text, start, backslashes.length), quote + MASK + quote));
    } else if (query !== undefined) spans.push(span(endOfPair(text, start, isUrl)));
    else if (xml !== undefined) spans.push(span(endOfElement(text, start)));
    else spans.push(span(text.length));
    pattern.lastIndex = Math.max(start, spans.at(-1)?.end ?? start);
  }
  return spans;
}

/** @param level how many backslashes precede each quote: the JSON may be in a string of JSON */
function endOfJson(text: string, start: number, level: number): number {
  if (isQuoteAt(text, start, level)) return endOfString(text, start + level + 1, level);
  if (text[start] !== '{' && text[start] !== '[') {
    const rest = /[^,}\]\s\\"]*/y;
    rest.lastIndex = start;
    rest.exec(text);
    return rest.lastIndex;
  }
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

/** A command quotes its URL, so there a quote ends it; elsewhere it may be part of the value. */
function endOfPair(text: string, start: number, isUrl: boolean): number {
  const rest = isUrl ? /[^&#\s"<>]*/y : /(?:[^&#\s"<>'\\]|'\\''|\\(?!\\{0,7}"))*/y;
  rest.lastIndex = start;
  rest.exec(text);
  return rest.lastIndex;
}

function endOfElement(text: string, start: number): number {
  const end = text.indexOf('</', start);
  return end === -1 ? text.length : end;
}
