/**
 * A strict JSON parser (RFC 8259) for text that arrives in chunks of bytes. It reads each byte once and keeps only
 * its position in the value. Parsing the whole body at once would block the process.
 */

export type StreamedKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';

/** Receives the value's parts in document order. Positions refer to the chunk being read. */
export interface JsonStreamVisitor {
  begin(kind: StreamedKind, at: number): void;
  /** The innermost open value ends just before `at`. */
  end(at: number): void;
  /** Whether to collect the bytes of the key that follows. If not, `key` is not called for it. */
  wantsKey(): boolean;
  /** The bytes of a key without its quotes; null if they are more than any key in a path can have. */
  key(bytes: Buffer | null, isEscaped: boolean): void;
  /** White space between tokens. */
  space(start: number, end: number): void;
}

/** A text nested more deeply than this counts as broken: every level costs a bit of memory. */
export const MAX_STREAMED_LEVELS = 1_000_000;
/** Longer keys are skipped. One character of a path can take six bytes (`\u0041`). */
const MAX_KEY_BYTES = 6_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, PLUS, POINT, ZERO, NINE, SMALL_E, SMALL_U] = [
  0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x65, 0x75,
];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

type State = 'mark' | MarkupState | 'string' | 'escape' | 'hex' | 'word' | NumberState | 'broken';

/** Between tokens: the expected next token. */
type MarkupState = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'after';

/** Inside a number: the last part that was read. */
type NumberState = 'minus' | 'zero' | 'whole' | 'point' | 'fraction' | 'e' | 'e-sign' | 'exponent';
/** The states in which a number may end. */
const COMPLETE: ReadonlySet<State> = new Set(['zero', 'whole', 'fraction', 'exponent']);

export class JsonStream {
  readonly #visitor: JsonStreamVisitor;
  #state: State = 'mark';
  /** How many bytes of a byte order mark, of a word (`true`) or of an escape's digits have been read. */
  #read = 0;
  #word = '';
  #isKey = false;
  #isWanted = false;
  #isEscaped = false;
  #keyStart = 0;
  #keyParts: Buffer[] = [];
  #keyBytes = 0;
  /** One bit for each level: 1 for an object. */
  #kinds = new Uint8Array(16);
  #levels = 0;
  #hasEnded = false;

  constructor(visitor: JsonStreamVisitor) {
    this.#visitor = visitor;
  }

  /** True if no later bytes can make the text valid JSON. */
  get isBroken(): boolean {
    return this.#state === 'broken';
  }

  /** How many objects and lists are open. */
  get levels(): number {
    return this.#levels;
  }

  get isInObject(): boolean {
    const level = this.#levels - 1;
    return level >= 0 && ((this.#kinds[level >> 3] ?? 0) & (1 << (level & 7))) !== 0;
  }

  take(chunk: Buffer): void {
    this.#keyStart = 0;
    for (let at = 0; at < chunk.length && !this.isBroken;) at = this.#step(chunk, at);
    if (this.#isKey && this.#isWanted) this.#keepKey(chunk.subarray(this.#keyStart));
  }

  /** @returns whether all that was taken is one JSON value */
  finish(): boolean {
    if (COMPLETE.has(this.#state) && this.#levels === 0) this.#endValue(0);
    return this.#hasEnded && !this.isBroken;
  }

  /** Consumes at least one byte, or changes the state so that the same byte is read again. */
  #step(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0;
    switch (this.#state) {
      case 'mark':
        return this.#takeMark(byte, at);
      case 'string':
        return this.#takeString(chunk, at);
      case 'escape':
        return this.#takeEscape(byte, at);
      case 'hex':
        if (!isHexDigit(byte)) return this.#break(at);
        if (++this.#read === 4) this.#state = 'string';
        return at + 1;
      case 'word':
        return this.#takeWord(byte, at);
      case 'value':
      case 'first-item':
      case 'first-key':
      case 'key':
      case 'colon':
      case 'after':
        if (isSpace(byte)) return this.#skipSpace(chunk, at);
        return this.#takeMarkup(this.#state, byte, at);
      case 'broken':
        return at + 1;
      case 'minus':
      case 'zero':
      case 'whole':
      case 'point':
      case 'fraction':
      case 'e':
      case 'e-sign':
      case 'exponent':
        return this.#takeNumber(this.#state, chunk, at);
    }
  }

  #takeMark(byte: number, at: number): number {
    if (byte === BYTE_ORDER_MARK[this.#read]) {
      if (++this.#read === BYTE_ORDER_MARK.length) this.#state = 'value';
      return at + 1;
    }
    if (this.#read > 0) return this.#break(at);
    this.#state = 'value';
    return at;
  }

  #skipSpace(chunk: Buffer, start: number): number {
    let at = start + 1;
    while (at < chunk.length && isSpace(chunk[at] ?? 0)) at++;
    this.#visitor.space(start, at);
    return at;
  }

  #takeMarkup(state: MarkupState, byte: number, at: number): number {
    switch (state) {
      case 'first-item':
        return byte === CLOSE_ARRAY ? this.#close(at) : this.#beginValue(byte, at);
      case 'first-key':
        return byte === CLOSE_OBJECT ? this.#close(at) : this.#beginKey(byte, at);
      case 'key':
        return this.#beginKey(byte, at);
      case 'colon':
        if (byte !== COLON) return this.#break(at);
        this.#state = 'value';
        return at + 1;
      case 'after':
        return this.#takeAfter(byte, at);
      case 'value':
        return this.#beginValue(byte, at);
    }
  }

  #takeAfter(byte: number, at: number): number {
    if (this.#levels === 0) return this.#break(at);
    if (byte === COMMA) {
      this.#state = this.isInObject ? 'key' : 'value';
      return at + 1;
    }
    const closer = this.isInObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    return byte === closer ? this.#close(at) : this.#break(at);
  }

  #beginValue(byte: number, at: number): number {
    switch (byte) {
      case OPEN_OBJECT:
        return this.#open('object', at);
      case OPEN_ARRAY:
        return this.#open('array', at);
      case QUOTE:
        this.#visitor.begin('string', at);
        this.#isKey = false;
        this.#state = 'string';
        return at + 1;
      case 0x74:
        return this.#beginWord('true', at);
      case 0x66:
        return this.#beginWord('false', at);
      case 0x6e:
        return this.#beginWord('null', at);
      default:
        return this.#beginNumber(byte, at);
    }
  }

  #beginWord(word: 'true' | 'false' | 'null', at: number): number {
    this.#visitor.begin(word, at);
    this.#word = word;
    this.#read = 1;
    this.#state = 'word';
    return at + 1;
  }

  #takeWord(byte: number, at: number): number {
    if (byte !== this.#word.charCodeAt(this.#read)) return this.#break(at);
    if (++this.#read === this.#word.length) this.#endValue(at + 1);
    return at + 1;
  }

  #beginNumber(byte: number, at: number): number {
    if (byte !== MINUS && !isDigit(byte)) return this.#break(at);
    this.#visitor.begin('number', at);
    this.#state = byte === MINUS ? 'minus' : byte === ZERO ? 'zero' : 'whole';
    return at + 1;
  }

  #takeNumber(state: NumberState, chunk: Buffer, start: number): number {
    let at = start;
    if (state === 'whole' || state === 'fraction' || state === 'exponent')
      while (at < chunk.length && isDigit(chunk[at] ?? 0)) at++;
    if (at === chunk.length) return at;
    const next = goOnWithNumber(state, chunk[at] ?? 0);
    if (next !== null) {
      this.#state = next;
      return at + 1;
    }
    if (!COMPLETE.has(state)) return this.#break(at);
    // The byte behind a number belongs to the next token.
    this.#endValue(at);
    return at;
  }

  #takeString(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE) {
        if (this.#isKey) this.#endKey(chunk, at);
        else this.#endValue(at + 1);
        return at + 1;
      }
      if (byte === BACKSLASH) {
        this.#isEscaped = true;
        this.#state = 'escape';
        return at + 1;
      }
      if (byte < 0x20) return this.#break(at);
    }
    return chunk.length;
  }

  #takeEscape(byte: number, at: number): number {
    this.#read = 0;
    if (byte === SMALL_U) this.#state = 'hex';
    else if (ESCAPES.includes(byte)) this.#state = 'string';
    else return this.#break(at);
    return at + 1;
  }

  #beginKey(byte: number, at: number): number {
    if (byte !== QUOTE) return this.#break(at);
    this.#isKey = true;
    this.#isWanted = this.#visitor.wantsKey();
    this.#isEscaped = false;
    this.#keyStart = at + 1;
    this.#keyParts = NO_PARTS;
    this.#keyBytes = 0;
    this.#state = 'string';
    return at + 1;
  }

  #endKey(chunk: Buffer, at: number): void {
    this.#isKey = false;
    this.#state = 'colon';
    if (!this.#isWanted) return;
    const last = chunk.subarray(this.#keyStart, at);
    if (this.#keyBytes + last.length > MAX_KEY_BYTES) this.#visitor.key(null, this.#isEscaped);
    else if (this.#keyBytes === 0) this.#visitor.key(last, this.#isEscaped);
    else this.#visitor.key(Buffer.concat([...this.#keyParts, last]), this.#isEscaped);
  }

  /** Keeps the part of a key that continues in the next chunk. */
  #keepKey(part: Buffer): void {
    this.#keyBytes += part.length;
    if (this.#keyBytes > MAX_KEY_BYTES) this.#keyParts = NO_PARTS;
    else this.#keyParts = [...this.#keyParts, Buffer.from(part)];
  }

  #open(kind: 'object' | 'array', at: number): number {
    if (this.#levels === MAX_STREAMED_LEVELS) return this.#break(at);
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

  #close(at: number): number {
    this.#levels--;
    this.#endValue(at + 1);
    return at + 1;
  }

  #endValue(at: number): void {
    this.#visitor.end(at);
    this.#state = 'after';
    if (this.#levels === 0) this.#hasEnded = true;
  }

  #break(at: number): number {
    this.#state = 'broken';
    return at + 1;
  }
}

const NO_PARTS: Buffer[] = [];
const ESCAPES = Buffer.from('"\\/bfnrt');

function goOnWithNumber(state: NumberState, byte: number): NumberState | null {
  const isE = (byte | 0x20) === SMALL_E;
  switch (state) {
    case 'minus':
      return byte === ZERO ? 'zero' : isDigit(byte) ? 'whole' : null;
    case 'zero':
    case 'whole':
      return byte === POINT ? 'point' : isE ? 'e' : null;
    case 'point':
      return isDigit(byte) ? 'fraction' : null;
    case 'fraction':
      return isE ? 'e' : null;
    case 'e':
      return byte === PLUS || byte === MINUS ? 'e-sign' : isDigit(byte) ? 'exponent' : null;
    case 'e-sign':
      return isDigit(byte) ? 'exponent' : null;
    case 'exponent':
      return null;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isHexDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66);
}
