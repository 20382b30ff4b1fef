/**
 * JSON carried as text: it is sent as given (§2.6).
 *
 * Trees made here keep the digits of numbers and the order of keys. Of duplicate keys the last value counts, at the
 * place of the first. `__proto__` and `constructor` are keys like any other.
 */

import { JsonScanner, walkValue } from './json-scan.ts';
import type { ContainerKind, JsonVisitor, ScalarKind } from './json-scan.ts';

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
  const scanner = new JsonScanner(text);
  const builder = new TreeBuilder(scanner, maxDepth);
  const outcome = walkValue(scanner, builder);
  if (outcome === 'stopped') return 'too-deep';
  if (outcome === 'malformed' || !scanner.takeEnd()) return 'malformed';
  return builder.root ?? 'malformed';
}

// One map for all empty objects: a body can hold hundreds of thousands of `{}`.
const NO_ENTRIES = new Map<string, JsonNode>();
const NO_ITEMS: JsonNode[] = [];

interface Frame {
  kind: ContainerKind;
  start: number;
  key: string;
  entries: Map<string, JsonNode>;
  items: JsonNode[];
}

class TreeBuilder implements JsonVisitor {
  root: JsonNode | null = null;
  #scanner: JsonScanner;
  #maxDepth: number;
  #outer: Frame[] = [];
  #frame: Frame | null = null;

  constructor(scanner: JsonScanner, maxDepth: number) {
    this.#scanner = scanner;
    this.#maxDepth = maxDepth;
  }

  enter(kind: ContainerKind, start: number): boolean {
    if (this.#depth() >= this.#maxDepth) return false;
    if (this.#frame) this.#outer.push(this.#frame);
    this.#frame = { kind, start, key: '', entries: NO_ENTRIES, items: NO_ITEMS };
    return true;
  }

  #depth(): number {
    return this.#frame ? this.#outer.length + 1 : 0;
  }

  leave(): void {
    const closed = this.#frame;
    if (!closed) return;
    this.#frame = this.#outer.pop() ?? null;
    const raw = this.#scanner.text.slice(closed.start, this.#scanner.at);
    if (closed.kind === 'object') this.#place({ kind: 'object', entries: closed.entries, raw });
    else this.#place({ kind: 'array', items: closed.items, raw });
  }

  key(start: number, end: number, isEscaped: boolean): void {
    if (this.#frame)
      this.#frame.key = decodeString(this.#scanner.text.slice(start, end), isEscaped);
  }

  scalar(kind: ScalarKind, start: number): void {
    this.#place(makeScalar(this.#scanner, kind, start));
  }

  #place(node: JsonNode): void {
    const frame = this.#frame;
    if (!frame) this.root = node;
    else if (frame.kind === 'object') {
      if (frame.entries === NO_ENTRIES) frame.entries = new Map();
      frame.entries.set(frame.key, node);
    } else {
      if (frame.items === NO_ITEMS) frame.items = [];
      frame.items.push(node);
    }
  }
}

/** Makes the scalar whose token ends at the scanner's position. */
function makeScalar(scanner: JsonScanner, kind: ScalarKind, start: number): JsonScalar {
  const raw = scanner.text.slice(start, scanner.at);
  if (kind === 'string') return { kind, value: decodeString(raw, scanner.isEscaped), raw };
  if (kind === 'number') return { kind, text: raw, raw };
  return { kind, raw };
}

/** The string of a token; `raw` includes the quotes. */
export function decodeString(raw: string, isEscaped: boolean): string {
  return isEscaped ? (JSON.parse(raw) as string) : raw.slice(1, -1);
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
  const scanner = new JsonScanner(text);
  const meter = new FieldMeter(scanner);
  return walkValue(scanner, meter) === 'done' && scanner.takeEnd() ? meter.field : null;
}

/** Measures one value while it is walked. */
class FieldMeter implements JsonVisitor {
  /** The value, once its end has been reached. */
  field: JsonField | null = null;
  depth = 0;
  readonly #scanner: JsonScanner;
  #start = 0;
  #kind: ContainerKind = 'object';
  #deepest = 0;
  #isEmpty = true;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  enter(kind: ContainerKind, start: number): boolean {
    if (this.depth === 0) {
      this.#start = start;
      this.#kind = kind;
      this.#deepest = 0;
      this.#isEmpty = true;
    } else {
      this.#isEmpty = false;
    }
    this.depth++;
    this.#deepest = Math.max(this.#deepest, this.depth);
    return true;
  }

  leave(): void {
    this.depth--;
    if (this.depth > 0) return;
    const raw = this.#scanner.text.slice(this.#start, this.#scanner.at);
    this.field = { kind: this.#kind, raw, depth: this.#deepest, isEmpty: this.#isEmpty };
  }

  key(): void {}

  scalar(kind: ScalarKind, start: number): void {
    if (this.depth === 0) this.field = makeScalar(this.#scanner, kind, start);
    else this.#isEmpty = false;
  }
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
  const scanner = new JsonScanner(text);
  const reader = new FieldReader(scanner, wanted);
  if (walkValue(scanner, reader) !== 'done' || !scanner.takeEnd()) return null;
  return reader.fields;
}

class FieldReader implements JsonVisitor {
  /** Null until an object opens at the top level. */
  fields: Map<string, JsonField> | null = null;
  readonly #scanner: JsonScanner;
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #meter: FieldMeter;
  /** Null for a name that is not wanted. */
  #key: string | null = null;

  constructor(scanner: JsonScanner, wanted: ReadonlySet<string> | undefined) {
    this.#scanner = scanner;
    this.#wanted = wanted;
    this.#meter = new FieldMeter(scanner);
  }

  enter(kind: ContainerKind, start: number): boolean {
    if (this.fields !== null) return this.#meter.enter(kind, start);
    if (kind !== 'object') return false;
    this.fields = new Map();
    return true;
  }

  leave(): void {
    if (this.#meter.depth === 0) return;
    this.#meter.leave();
    this.#keep();
  }

  key(start: number, end: number, isEscaped: boolean): void {
    if (this.#meter.depth > 0) return;
    const key = decodeString(this.#scanner.text.slice(start, end), isEscaped);
    this.#key = this.#wanted?.has(key) === false ? null : key;
  }

  scalar(kind: ScalarKind, start: number): void {
    if (this.#meter.depth === 0 && this.#key === null) return;
    this.#meter.scalar(kind, start);
    this.#keep();
  }

  #keep(): void {
    const { depth, field } = this.#meter;
    if (depth === 0 && field !== null && this.#key !== null) this.fields?.set(this.#key, field);
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
