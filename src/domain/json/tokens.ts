/**
 * The grammar of JSON (RFC 8259) for a whole text or chunks. It keeps only its position, so it takes linear time and
 * can't overflow the stack.
 *
 * JSON.parse rounds numbers, moves integer-like keys to the front, and blocks the process for large bodies.
 */

export type ScalarKind = 'string' | 'number' | 'true' | 'false' | 'null';
export type ContainerKind = 'object' | 'array';
export type JsonKind = ContainerKind | ScalarKind;

/** In document order. Positions refer to the current chunk. */
export interface JsonVisitor {
  begin(kind: JsonKind, at: number): void;
  /** The value ends before `at`. */
  end(kind: JsonKind, at: number): void;
  /** @param token with its quotes; null if longer than `maxKeyLength` */
  key(token: string | null, isEscaped: boolean, at: number): void;
  space?(start: number, end: number): void;
}

interface Limits {
  /** A text nested more deeply counts as broken. */
  maxLevels?: number;
  maxKeyLength?: number;
  /** UTF-8 read as Latin-1, which may begin with a byte order mark. */
  isBytes?: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, ZERO, NINE, SMALL_U] = [0x2d, 0x30, 0x39, 0x75];
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

type State = 'mark' | MarkupState | 'string' | 'escape' | 'hex' | 'bare' | 'broken';
type MarkupState = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'after';
/** A value without quotes or brackets. */
type BareKind = 'number' | 'true' | 'false' | 'null';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Of a number that isn't complete in its first chunk. */
const MAX_NUMBER_LENGTH = 1_000_000;

export class JsonTokens {
  readonly #visitor: JsonVisitor;
  readonly #maxLevels: number;
  readonly #maxKeyLength: number;
  #state: State;
  #chunk = '';
  /** Characters read of a byte order mark or an escape. */
  #read = 0;
  #bareKind: BareKind = 'null';
  /** The part of a bare value in earlier chunks. */
  #bareBefore = '';
  #isKey = false;
  #isEscaped = false;
  #keyStart = 0;
  /** The key's part in earlier chunks; null if too long. */
  #keyBefore: string | null = '';
  /** One bit a level: 1 for an object. */
  #kinds = new Uint8Array(16);
  #levels = 0;
  #hasEnded = false;
  #isStopped = false;

  constructor(
    visitor: JsonVisitor,
    { maxLevels = Infinity, maxKeyLength = Infinity, isBytes = false }: Limits = {},
  ) {
    this.#visitor = visitor;
    this.#maxLevels = maxLevels;
    this.#maxKeyLength = maxKeyLength;
    this.#state = isBytes ? 'mark' : 'value';
  }

  get isBroken(): boolean {
    return this.#state === 'broken';
  }

  get levels(): number {
    return this.#levels;
  }

  get isInObject(): boolean {
    const level = this.#levels - 1;
    return level >= 0 && ((this.#kinds[level >> 3] ?? 0) & (1 << (level & 7))) !== 0;
  }

  get isEscaped(): boolean {
    return this.#isEscaped;
  }

  /** Called by the visitor. */
  stop(): void {
    this.#isStopped = true;
  }

  readWhole(text: string): boolean {
    this.take(text);
    return this.finish();
  }

  take(chunk: string): void {
    this.#chunk = chunk;
    this.#keyStart = 0;
    const { length } = chunk;
    for (let at = 0; at < length && this.#state !== 'broken';) {
      at = this.#step(chunk, at);
      if (this.#isStopped) this.#state = 'broken';
    }
    if (this.#isKey) this.#keepKey(chunk.slice(this.#keyStart));
  }

  /** @returns whether the text is one JSON value */
  finish(): boolean {
    if (this.#state === 'bare') this.#endBare('', this.#chunk.length);
    return this.#hasEnded && this.#state !== 'broken';
  }

  /** Consumes a character, or only changes the state. */
  #step(chunk: string, at: number): number {
    const code = chunk.charCodeAt(at);
    const state = this.#state;
    switch (state) {
      case 'after':
      case 'value':
      case 'key':
      case 'first-key':
      case 'first-item':
      case 'colon':
        return isSpace(code) ? this.#skipSpace(chunk, at) : this.#takeMarkup(state, code, at);
      case 'string':
        return this.#takeString(chunk, at);
      case 'escape':
        return this.#takeEscape(code, at);
      case 'hex':
        if (!isHexDigit(code)) return this.#break(at);
        if (++this.#read === 4) this.#state = 'string';
        return at + 1;
      case 'bare':
        return this.#takeBare(chunk, at);
      case 'mark':
        return this.#takeMark(code, at);
      case 'broken':
        return at + 1;
    }
  }

  #takeMark(code: number, at: number): number {
    if (code === BYTE_ORDER_MARK.charCodeAt(this.#read)) {
      if (++this.#read === BYTE_ORDER_MARK.length) this.#state = 'value';
      return at + 1;
    }
    if (this.#read > 0) return this.#break(at);
    this.#state = 'value';
    return at;
  }

  #skipSpace(chunk: string, start: number): number {
    let at = start + 1;
    while (isSpace(chunk.charCodeAt(at))) at++;
    this.#visitor.space?.(start, at);
    return at;
  }

  #takeMarkup(state: MarkupState, code: number, at: number): number {
    switch (state) {
      case 'after':
        return this.#takeAfter(code, at);
      case 'value':
        return this.#beginValue(code, at);
      case 'key':
        return this.#beginKey(code, at);
      case 'first-key':
        return code === CLOSE_OBJECT ? this.#close('object', at) : this.#beginKey(code, at);
      case 'first-item':
        return code === CLOSE_ARRAY ? this.#close('array', at) : this.#beginValue(code, at);
      case 'colon':
        if (code !== COLON) return this.#break(at);
        this.#state = 'value';
        return at + 1;
    }
  }

  #takeAfter(code: number, at: number): number {
    if (this.#levels === 0) return this.#break(at);
    const { isInObject } = this;
    if (code === COMMA) {
      this.#state = isInObject ? 'key' : 'value';
      return at + 1;
    }
    if (code !== (isInObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return this.#break(at);
    return this.#close(isInObject ? 'object' : 'array', at);
  }

  #beginValue(code: number, at: number): number {
    switch (code) {
      case OPEN_OBJECT:
        return this.#open('object', at);
      case OPEN_ARRAY:
        return this.#open('array', at);
      case QUOTE:
        this.#visitor.begin('string', at);
        this.#isEscaped = false;
        this.#state = 'string';
        return this.#takeString(this.#chunk, at + 1);
      case 0x74:
        return this.#beginBare('true', at);
      case 0x66:
        return this.#beginBare('false', at);
      case 0x6e:
        return this.#beginBare('null', at);
      default:
        return code === MINUS || isDigit(code) ? this.#beginBare('number', at) : this.#break(at);
    }
  }

  #beginBare(kind: BareKind, at: number): number {
    this.#visitor.begin(kind, at);
    this.#bareKind = kind;
    this.#bareBefore = '';
    this.#state = 'bare';
    return this.#takeBare(this.#chunk, at);
  }

  #takeBare(chunk: string, start: number): number {
    let at = start;
    while (isBare(chunk.charCodeAt(at))) at++;
    const part = chunk.slice(start, at);
    if (at < chunk.length) return this.#endBare(part, at);
    this.#bareBefore += part;
    return this.#bareBefore.length > MAX_NUMBER_LENGTH ? this.#break(at) : at;
  }

  /** The character behind it belongs to the next token. */
  #endBare(part: string, at: number): number {
    const kind = this.#bareKind;
    const text = this.#bareBefore + part;
    if (kind === 'number' ? !NUMBER.test(text) : text !== kind) return this.#break(at);
    this.#endValue(kind, at);
    return at;
  }

  #takeString(chunk: string, start: number): number {
    const { length } = chunk;
    for (let at = start; at < length; at++) {
      const code = chunk.charCodeAt(at);
      if (code === QUOTE) {
        if (this.#isKey) return this.#endKey(at + 1);
        this.#endValue('string', at + 1);
        return at + 1;
      }
      if (code === BACKSLASH) {
        this.#isEscaped = true;
        this.#state = 'escape';
        return at + 1;
      }
      if (code < 0x20) return this.#break(at);
    }
    return length;
  }

  #takeEscape(code: number, at: number): number {
    this.#read = 0;
    if (code === SMALL_U) this.#state = 'hex';
    else if (isEscape(code)) this.#state = 'string';
    else return this.#break(at);
    return at + 1;
  }

  #beginKey(code: number, at: number): number {
    if (code !== QUOTE) return this.#break(at);
    this.#isKey = true;
    this.#isEscaped = false;
    this.#keyStart = at;
    this.#keyBefore = '';
    this.#state = 'string';
    return this.#takeString(this.#chunk, at + 1);
  }

  #endKey(at: number): number {
    this.#isKey = false;
    this.#keepKey(this.#chunk.slice(this.#keyStart, at));
    this.#visitor.key(this.#keyBefore, this.#isEscaped, at);
    const hasColon = this.#chunk.charCodeAt(at) === COLON;
    this.#state = hasColon ? 'value' : 'colon';
    return hasColon ? at + 1 : at;
  }

  #keepKey(part: string): void {
    if (this.#keyBefore === null) return;
    const isTooLong = this.#keyBefore.length + part.length > this.#maxKeyLength;
    this.#keyBefore = isTooLong ? null : this.#keyBefore + part;
  }

  #open(kind: ContainerKind, at: number): number {
    if (this.#levels === this.#maxLevels) return this.#break(at);
    this.#visitor.begin(kind, at);
    const place = this.#levels >> 3;
    if (place === this.#kinds.length) this.#growKinds();
    const bit = 1 << (this.#levels & 7);
    const others = (this.#kinds[place] ?? 0) & ~bit;
    this.#kinds[place] = kind === 'object' ? others | bit : others;
    this.#levels++;
    this.#state = kind === 'object' ? 'first-key' : 'first-item';
    return at + 1;
  }

  #growKinds(): void {
    const larger = new Uint8Array(this.#kinds.length * 2);
    larger.set(this.#kinds);
    this.#kinds = larger;
  }

  #close(kind: ContainerKind, at: number): number {
    this.#levels--;
    this.#endValue(kind, at + 1);
    return at + 1;
  }

  #endValue(kind: JsonKind, at: number): void {
    this.#visitor.end(kind, at);
    this.#state = 'after';
    if (this.#levels === 0) this.#hasEnded = true;
  }

  #break(at: number): number {
    this.#state = 'broken';
    return at + 1;
  }
}

export function decodeString(token: string, isEscaped: boolean): string {
  return isEscaped ? (JSON.parse(token) as string) : token.slice(1, -1);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Letters, digits, `+`, `-` and `.`. */
function isBare(code: number): boolean {
  const letter = code | 0x20;
  return (
    isDigit(code) ||
    (letter >= 0x61 && letter <= 0x7a) ||
    (code >= 0x2b && code <= 0x2e && code !== COMMA)
  );
}

function isHexDigit(code: number): boolean {
  const letter = code | 0x20;
  return isDigit(code) || (letter >= 0x61 && letter <= 0x66);
}

function isEscape(code: number): boolean {
  return '"\\/bfnrt'.includes(String.fromCharCode(code));
}
