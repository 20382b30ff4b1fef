/**
 * Without a tree: a tree of a megabyte takes a third of a second. Of repeated keys the last value counts, at the place
 * of the first (§2.6).
 */
import { MAX_JSON_DEPTH } from './text.ts';
import {
  type ContainerKind,
  decodeString,
  type JsonKind,
  JsonTokens,
  type JsonVisitor,
  type ScalarKind,
} from './tokens.ts';

/** A token is `text.slice(start, end)`. */
export interface JsonSink {
  open(kind: ContainerKind): void;
  close(kind: ContainerKind): void;
  key(key: string, start: number, end: number): void;
  scalar(kind: ScalarKind, start: number, end: number, isEscaped: boolean): void;
}

/**
 * Throws on text that would never have been accepted.
 * @param makeSink called with the text of the sink's tokens; again if a key occurs twice
 */
export function walkDistinct<Sink extends JsonSink>(
  text: string,
  makeSink: (text: string) => Sink,
): Sink {
  const sink = makeSink(text);
  const walker = new Walker(sink);
  const isJson = walker.tokens.readWhole(text);
  if (walker.hasDuplicate) return walkDistinct(withoutDuplicates(text), makeSink);
  if (walker.isTooDeep) throw new TypeError('Payload text is too-deep');
  if (!isJson) throw new TypeError('Payload text is malformed');
  return sink;
}

/** Above this, keys are kept in a set. */
const FEW_KEYS = 16;

class Walker implements JsonVisitor {
  readonly tokens = new JsonTokens(this);
  hasDuplicate = false;
  isTooDeep = false;
  readonly #sink: JsonSink;
  readonly #keys: string[][] = [];
  readonly #manyKeys: Set<string>[] = [];
  #start = 0;

  constructor(sink: JsonSink) {
    this.#sink = sink;
  }

  begin(kind: JsonKind, at: number): void {
    this.#start = at;
    if (kind !== 'object' && kind !== 'array') return;
    const { levels } = this.tokens;
    if (levels === MAX_JSON_DEPTH) {
      this.isTooDeep = true;
      return this.tokens.stop();
    }
    if (kind === 'object') (this.#keys[levels + 1] ??= []).length = 0;
    this.#sink.open(kind);
  }

  end(kind: JsonKind, at: number): void {
    if (kind === 'object' || kind === 'array') this.#sink.close(kind);
    else this.#sink.scalar(kind, this.#start, at, this.tokens.isEscaped);
  }

  key(token: string | null, isEscaped: boolean, at: number): void {
    if (token === null) return;
    const key = decodeString(token, isEscaped);
    if (this.#note(key)) return this.#sink.key(key, at - token.length, at);
    this.hasDuplicate = true;
    this.tokens.stop();
  }

  #note(key: string): boolean {
    const { levels } = this.tokens;
    const keys = this.#keys[levels] ?? [];
    if (keys.length < FEW_KEYS) return !keys.includes(key) && keys.push(key) > 0;
    if (keys.length === FEW_KEYS) {
      this.#manyKeys[levels] = new Set(keys);
      keys.push('');
    }
    const many = this.#manyKeys[levels];
    const before = many?.size;
    return many?.add(key).size !== before;
  }
}

interface Edit {
  at: number;
  end: number;
  from: number;
  until: number;
}

/** In linear time, apart from sorting the duplicates. */
function withoutDuplicates(text: string): string {
  const finder = new DuplicateFinder(text);
  if (!finder.tokens.readWhole(text)) throw new TypeError('Payload text is malformed');
  const edits = [...finder.edits.values()].toSorted((a, b) => a.at - b.at);
  return applyEdits(text, edits, 0, text.length);
}

/** Recurses as deep as the text is nested. */
function applyEdits(text: string, edits: readonly Edit[], start: number, end: number): string {
  let written = '';
  let at = start;
  for (let edit = firstFrom(edits, at); edit && edit.at < end; edit = firstFrom(edits, at)) {
    written += text.slice(at, edit.at) + applyEdits(text, edits, edit.from, edit.until);
    at = edit.end;
  }
  return written + text.slice(at, end);
}

function firstFrom(edits: readonly Edit[], at: number): Edit | undefined {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return edits[low];
}

interface OpenValue {
  start: number;
  members: Map<string, { start: number; end: number }> | null;
  key: string;
  commaAt: number;
}

class DuplicateFinder implements JsonVisitor {
  readonly tokens = new JsonTokens(this);
  readonly edits = new Map<number, Edit>();
  readonly #text: string;
  readonly #open: OpenValue[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  begin(kind: JsonKind, start: number): void {
    if (this.tokens.levels === MAX_JSON_DEPTH) return this.tokens.stop();
    const members = kind === 'object' ? new Map() : null;
    this.#open.push({ start, members, key: '', commaAt: 0 });
  }

  key(token: string | null, isEscaped: boolean, at: number): void {
    const object = this.#open.at(-1);
    if (object === undefined || token === null) return;
    object.key = decodeString(token, isEscaped);
    object.commaAt = this.#text.lastIndexOf(',', at - token.length);
  }

  end(_: JsonKind, end: number): void {
    const start = this.#open.pop()?.start ?? 0;
    const object = this.#open.at(-1);
    if (!object?.members) return;
    const { members, key, commaAt } = object;
    const first = members.get(key);
    if (first === undefined) return void members.set(key, { start, end });
    this.edits.set(first.start, { at: first.start, end: first.end, from: start, until: end });
    this.edits.set(commaAt, { at: commaAt, end, from: end, until: end });
  }
}
