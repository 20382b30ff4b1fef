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
  if (!isJson) throw new TypeError(NOT_ACCEPTED);
  return sink;
}

const NOT_ACCEPTED = 'Payload text is malformed or nested too deeply';
/** Above this, keys are kept in a set. */
const FEW_KEYS = 16;

class Walker implements JsonVisitor {
  readonly tokens = new JsonTokens(this, { maxLevels: MAX_JSON_DEPTH });
  hasDuplicate = false;
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
    if (kind === 'object') (this.#keys[this.tokens.levels + 1] ??= []).length = 0;
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

/** Without white space between tokens. */
function withoutDuplicates(text: string): string {
  const writer = new DistinctWriter(text);
  if (!writer.tokens.readWhole(text)) throw new TypeError(NOT_ACCEPTED);
  return writer.written;
}

/** An open object or list, with its members as written. */
interface OpenContainer {
  /** Of the next member. */
  key: string;
  members: Map<string, string> | null;
  items: string[];
}

class DistinctWriter implements JsonVisitor {
  readonly tokens = new JsonTokens(this, { maxLevels: MAX_JSON_DEPTH });
  written = '';
  readonly #text: string;
  readonly #open: OpenContainer[] = [];
  #start = 0;

  constructor(text: string) {
    this.#text = text;
  }

  begin(kind: JsonKind, start: number): void {
    this.#start = start;
    if (kind !== 'object' && kind !== 'array') return;
    this.#open.push({ key: '', members: kind === 'object' ? new Map() : null, items: [] });
  }

  key(token: string | null, isEscaped: boolean): void {
    const object = this.#open.at(-1);
    if (object !== undefined && token !== null) object.key = decodeString(token, isEscaped);
  }

  end(kind: JsonKind, end: number): void {
    const isScalar = kind !== 'object' && kind !== 'array';
    const value = isScalar ? this.#text.slice(this.#start, end) : writeContainer(this.#open.pop());
    const outer = this.#open.at(-1);
    if (outer === undefined) this.written = value;
    else if (outer.members !== null) outer.members.set(outer.key, value);
    else outer.items.push(value);
  }
}

function writeContainer(closed: OpenContainer | undefined): string {
  if (!closed?.members) return `[${(closed?.items ?? []).join()}]`;
  const members = Array.from(closed.members, ([key, value]) => `${JSON.stringify(key)}:${value}`);
  return `{${members.join()}}`;
}
