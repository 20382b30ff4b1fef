/**
 * The tokens and the grammar of JSON (RFC 8259), strictly. The text is never copied.
 *
 * JSON.parse is not suitable for payloads: it rounds numbers, moves integer-like keys to the front and forgets how a
 * value was written (§2.6). Everything here is iterative and takes linear time, whatever the text.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export type ScalarKind = 'string' | 'number' | 'true' | 'false' | 'null';
export type ContainerKind = 'object' | 'array';

/** Receives each part of a value in document order. A token is `scanner.text.slice(start, scanner.at)`. */
export interface JsonVisitor {
  /**
   * A container opens at `start`. Return false to stop the walk, or a position in the text to continue there, behind
   * the container.
   */
  enter(kind: ContainerKind, start: number): boolean | number;
  /** The innermost container closes just before `scanner.at`. */
  leave(): void;
  /** A key, quotes included. `isEscaped`: it holds at least one backslash. */
  key(start: number, end: number, isEscaped: boolean): void;
  scalar(kind: ScalarKind, start: number): void;
}

/** A position in a JSON text. Each method moves past the token that it names, or returns false or null. */
export class JsonScanner {
  readonly text: string;
  at = 0;
  /** Whether the string token read last holds a backslash. */
  isEscaped = false;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  /** Takes one punctuation mark and the white space before it. */
  take(mark: number): boolean {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== mark) return false;
    this.at++;
    return true;
  }

  takeEnd(): boolean {
    this.skipSpace();
    return this.at === this.text.length;
  }

  scalar(): ScalarKind | null {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.string() ? 'string' : null;
      case 0x74:
        return this.#literal('true');
      case 0x66:
        return this.#literal('false');
      case 0x6e:
        return this.#literal('null');
      default:
        return this.#number() ? 'number' : null;
    }
  }

  string(): boolean {
    const { text } = this;
    this.isEscaped = false;
    if (text.charCodeAt(this.at) !== QUOTE) return false;
    for (let at = this.at + 1; ;) {
      const code = text.charCodeAt(at++);
      if (code === QUOTE) {
        this.at = at;
        return true;
      }
      if (code === BACKSLASH) {
        const length = measureEscape(text, at);
        if (length === 0) return false;
        at += length;
        this.isEscaped = true;
      } else if (!(code >= 0x20)) return false; // a control character, or NaN: the text ended
    }
  }

  #literal<Word extends 'true' | 'false' | 'null'>(word: Word): Word | null {
    if (!this.text.startsWith(word, this.at)) return null;
    this.at += word.length;
    return word;
  }

  #number(): boolean {
    if (this.#next() === 0x2d) this.at++;
    if (this.#next() === 0x30) this.at++;
    else if (!this.#digits()) return false;
    if (this.#next() === 0x2e) {
      this.at++;
      if (!this.#digits()) return false;
    }
    if (this.#next() === 0x65 || this.#next() === 0x45) {
      this.at++;
      if (this.#next() === 0x2b || this.#next() === 0x2d) this.at++;
      if (!this.#digits()) return false;
    }
    return true;
  }

  #next(): number {
    return this.text.charCodeAt(this.at);
  }

  #digits(): boolean {
    const start = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
    return this.at > start;
  }
}

/** The number of characters behind the backslash that belong to the escape; 0 if they form none. */
function measureEscape(text: string, at: number): number {
  switch (text.charAt(at)) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return 1;
    case 'u':
      for (let digit = 1; digit <= 4; digit++) if (!isHex(text.charCodeAt(at + digit))) return 0;
      return 5;
    default:
      return 0;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHex(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66);
}

/**
 * Walks one value, from the scanner's position to just behind it.
 *
 * Open containers are kept in a list, not on the call stack, so no nesting can overflow it. 'stopped' means that the
 * visitor refused to enter a container; the text behind it was not read.
 */
export function walkValue(
  scanner: JsonScanner,
  visitor: JsonVisitor,
): 'done' | 'malformed' | 'stopped' {
  const closers: number[] = [];
  for (;;) {
    scanner.skipSpace();
    const start = scanner.at;
    const mark = scanner.text.charCodeAt(start);
    if (mark === OPEN_OBJECT || mark === OPEN_ARRAY) {
      const entered = visitor.enter(mark === OPEN_OBJECT ? 'object' : 'array', start);
      if (entered === false) return 'stopped';
      if (entered !== true) {
        scanner.at = entered;
        const next = goOn(scanner, visitor, closers);
        if (next !== 'value') return next;
        continue;
      }
      scanner.at++;
      const closer = mark === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      if (!scanner.take(closer)) {
        if (closer === CLOSE_OBJECT && !takeKey(scanner, visitor)) return 'malformed';
        closers.push(closer);
        continue;
      }
      visitor.leave();
    } else {
      const kind = scanner.scalar();
      if (kind === null) return 'malformed';
      visitor.scalar(kind, start);
    }
    const next = goOn(scanner, visitor, closers);
    if (next !== 'value') return next;
  }
}

/** Called after a value: closes the containers that end here, and returns whether another value must follow. */
function goOn(
  scanner: JsonScanner,
  visitor: JsonVisitor,
  closers: number[],
): 'value' | 'done' | 'malformed' {
  for (;;) {
    const closer = closers.at(-1);
    if (closer === undefined) return 'done';
    if (scanner.take(COMMA)) {
      return closer === CLOSE_ARRAY || takeKey(scanner, visitor) ? 'value' : 'malformed';
    }
    if (!scanner.take(closer)) return 'malformed';
    closers.pop();
    visitor.leave();
  }
}

function takeKey(scanner: JsonScanner, visitor: JsonVisitor): boolean {
  scanner.skipSpace();
  const start = scanner.at;
  if (!scanner.string()) return false;
  const end = scanner.at;
  visitor.key(start, end, scanner.isEscaped);
  return scanner.take(COLON);
}
