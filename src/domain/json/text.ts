/**
 * JSON carried as text: it is sent as given (§2.6).
 *
 * Trees made here keep the digits of numbers and the order of keys. Of duplicate keys the last value counts, at the
 * place of the first. `__proto__` and `constructor` are keys like any other.
 */

import {
  type ContainerKind,
  decodeString,
  type JsonKind,
  JsonTokens,
  type JsonVisitor,
  type ScalarKind,
} from './tokens.ts';

/** How deep a payload may be nested: `[]` and `{}` are one level, `[[]]` two (§2.6). */
export const MAX_JSON_DEPTH = 512;

type JsonScalar =
  | { kind: 'string'; value: string; raw: string }
  /** `text` holds the digits as written. The number may be one that JavaScript cannot represent. */
  | { kind: 'number'; text: string; raw: string }
  | { kind: 'true' | 'false' | 'null'; raw: string };

/** A JSON value. `raw` is its source text, without white space around it. */
export type JsonNode =
  | { kind: 'object'; entries: ReadonlyMap<string, JsonNode>; raw: string }
  | { kind: 'array'; items: readonly JsonNode[]; raw: string }
  | JsonScalar;

/**
 * Reads a JSON text (RFC 8259). A leading byte order mark is malformed, as for JSON.parse.
 *
 * Returns 'too-deep' as soon as the nesting exceeds `maxDepth`, without checking the rest of the text.
 */
export function parseJsonText(
  text: string,
  maxDepth: number = MAX_JSON_DEPTH,
): JsonNode | 'malformed' | 'too-deep' {
  const builder = new TreeBuilder(text, maxDepth);
  const isJson = builder.tokens.readWhole(text);
  if (builder.tokens.isStopped) return 'too-deep';
  return isJson && builder.root !== null ? builder.root : 'malformed';
}

// One map for all empty objects: a body can hold hundreds of thousands of `{}`.
const NO_ENTRIES = new Map<string, JsonNode>();
const NO_ITEMS: JsonNode[] = [];

interface Frame {
  start: number;
  key: string;
  entries: Map<string, JsonNode>;
  items: JsonNode[];
}

class TreeBuilder implements JsonVisitor {
  readonly tokens = new JsonTokens(this);
  root: JsonNode | null = null;
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #frames: Frame[] = [];
  #start = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  begin(kind: JsonKind, start: number): void {
    this.#start = start;
    if (!isContainer(kind)) return;
    if (this.tokens.levels >= this.#maxDepth) return this.tokens.stop();
    this.#frames.push({ start, key: '', entries: NO_ENTRIES, items: NO_ITEMS });
  }

  end(kind: JsonKind, end: number): void {
    if (!isContainer(kind)) {
      const raw = this.#text.slice(this.#start, end);
      return this.#place(makeScalar(kind, raw, this.tokens.isEscaped));
    }
    const closed = this.#frames.pop();
    if (!closed) return;
    const { start, entries, items } = closed;
    const raw = this.#text.slice(start, end);
    this.#place(kind === 'object' ? { kind, entries, raw } : { kind, items, raw });
  }

  key(token: string | null, isEscaped: boolean): void {
    const frame = this.#frames.at(-1);
    if (frame && token !== null) frame.key = decodeString(token, isEscaped);
  }

  #place(node: JsonNode): void {
    const frame = this.#frames.at(-1);
    if (!frame) this.root = node;
    else if (this.tokens.isInObject) {
      if (frame.entries === NO_ENTRIES) frame.entries = new Map();
      frame.entries.set(frame.key, node);
    } else {
      if (frame.items === NO_ITEMS) frame.items = [];
      frame.items.push(node);
    }
  }
}

function isContainer(kind: JsonKind): kind is ContainerKind {
  return kind === 'object' || kind === 'array';
}

function makeScalar(kind: ScalarKind, raw: string, isEscaped: boolean): JsonScalar {
  if (kind === 'string') return { kind, value: decodeString(raw, isEscaped), raw };
  if (kind === 'number') return { kind, text: raw, raw };
  return { kind, raw };
}

/**
 * A field of a request body. Objects and arrays are not expanded: `raw` can be passed to `parseJsonText`. `depth`
 * counts their levels (`[]` is 1); `isEmpty` is true for `[]` and `{}`.
 */
export type JsonField =
  | { kind: ContainerKind; raw: string; depth: number; isEmpty: boolean }
  | JsonScalar;

/** Reads a whole text as one field, without expanding it. Null if it is not JSON. */
export function readJsonField(text: string): JsonField | null {
  const reader = new FieldReader(text, 0);
  return reader.tokens.readWhole(text) ? reader.field : null;
}

/**
 * Reads the fields of a JSON object, in document order, without expanding nested values.
 *
 * Null if the text is malformed anywhere or is not an object (§4.5: it then counts as having no fields). The nesting
 * is measured but not limited, so that the caller can report it (§2.6).
 *
 * @param wanted  the names to read; undefined: all
 */
export function readTopLevelFields(
  text: string,
  wanted?: ReadonlySet<string>,
): Map<string, JsonField> | null {
  const reader = new FieldReader(text, 1, wanted);
  return reader.tokens.readWhole(text) ? reader.fields : null;
}

/** Reads the values at one level: the whole text, or the members of an object. */
class FieldReader implements JsonVisitor {
  readonly tokens = new JsonTokens(this);
  readonly fields = new Map<string, JsonField>();
  /** The last value. */
  field: JsonField | null = null;
  readonly #text: string;
  readonly #level: 0 | 1;
  readonly #wanted: ReadonlySet<string> | undefined;
  /** Null for a name that is not wanted. */
  #key: string | null = '';
  #start = 0;
  #depth = 0;
  #isEmpty = true;

  constructor(text: string, level: 0 | 1, wanted?: ReadonlySet<string>) {
    this.#text = text;
    this.#level = level;
    this.#wanted = wanted;
  }

  begin(kind: JsonKind, at: number): void {
    const inner = this.tokens.levels - this.#level;
    if (inner < 0 && kind !== 'object') return this.tokens.stop();
    if (inner === 0) {
      this.#start = at;
      this.#depth = 0;
    }
    this.#isEmpty = inner <= 0;
    if (isContainer(kind)) this.#depth = Math.max(this.#depth, inner + 1);
  }

  end(kind: JsonKind, at: number): void {
    if (this.tokens.levels !== this.#level || this.#key === null) return;
    const raw = this.#text.slice(this.#start, at);
    this.field = isContainer(kind)
      ? { kind, raw, depth: this.#depth, isEmpty: this.#isEmpty }
      : makeScalar(kind, raw, this.tokens.isEscaped);
    if (this.#level === 1) this.fields.set(this.#key, this.field);
  }

  key(token: string | null, isEscaped: boolean): void {
    if (this.tokens.levels !== this.#level || token === null) return;
    const key = decodeString(token, isEscaped);
    this.#key = this.#wanted?.has(key) === false ? null : key;
  }
}

/** Writes JSON that the service itself makes: API responses (§1.2) and callbacks (§6). */
export function escapeJsonAnswer(value: unknown): string {
  return toAsciiJson(JSON.stringify(value));
}

// In JSON text a slash or a non-ASCII character can only occur inside a string, and JSON.stringify never writes a
// lone backslash in front of one.
function toAsciiJson(json: string): string {
  return json
    .replaceAll('/', '\\/')
    .replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
