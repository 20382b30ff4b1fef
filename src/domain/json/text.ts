/**
 * JSON as text, because it is sent as given (§2.6). The last of duplicate keys counts, at the place of the first.
 * `__proto__` is a key like any other.
 */

import {
  type ContainerKind,
  decodeString,
  type JsonKind,
  JsonTokens,
  type JsonVisitor,
  type ScalarKind,
} from './tokens.ts';

/** `[]` and `{}` are one level, `[[]]` two (§2.6). */
export const MAX_JSON_DEPTH = 512;

type JsonScalar =
  | { kind: 'string'; value: string; raw: string }
  /** JavaScript may not be able to represent the number. */
  | { kind: Exclude<ScalarKind, 'string'>; raw: string };

function isContainer(kind: JsonKind): kind is ContainerKind {
  return kind === 'object' || kind === 'array';
}

/**
 * `raw` is the source without white space around it. Objects and arrays aren't expanded; `depth` counts their levels
 * (`[]` is 1).
 */
export type JsonField =
  | { kind: ContainerKind; raw: string; depth: number; isEmpty: boolean }
  | JsonScalar;

/** Null if the text isn't one JSON value. A byte order mark is malformed, as for JSON.parse. */
export function readJsonField(text: string): JsonField | null {
  const reader = new FieldReader(text, 0);
  return reader.tokens.readWhole(text) ? reader.field : null;
}

/**
 * In document order. Null if the text isn't a JSON object (§4.5). Nesting is measured, not limited, so that the caller
 * can report it (§2.6).
 * @param wanted names to read; undefined: all
 */
export function readTopLevelFields(
  text: string,
  wanted?: ReadonlySet<string>,
): Map<string, JsonField> | null {
  const reader = new FieldReader(text, 1, wanted);
  return reader.tokens.readWhole(text) ? reader.fields : null;
}

class FieldReader implements JsonVisitor {
  readonly tokens = new JsonTokens(this);
  readonly fields = new Map<string, JsonField>();
  field: JsonField | null = null;
  readonly #text: string;
  readonly #level: 0 | 1;
  readonly #wanted: ReadonlySet<string> | undefined;
  /** Null for a name that isn't wanted. */
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
    if (isContainer(kind)) this.field = { kind, raw, depth: this.#depth, isEmpty: this.#isEmpty };
    else if (kind === 'string')
      this.field = { kind, raw, value: decodeString(raw, this.tokens.isEscaped) };
    else this.field = { kind, raw };
    if (this.#level === 1) this.fields.set(this.#key, this.field);
  }

  key(token: string | null, isEscaped: boolean): void {
    if (this.tokens.levels !== this.#level || token === null) return;
    const key = decodeString(token, isEscaped);
    this.#key = this.#wanted?.has(key) === false ? null : key;
  }
}

/** For API responses (§1.2) and callbacks (§6). */
export function escapeJsonAnswer(value: unknown): string {
  // Slashes and non-ASCII characters occur only in strings, and JSON.stringify never writes a lone backslash before one.
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
