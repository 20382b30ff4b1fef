import { AsciiWriter } from './ascii-writer.ts';
import { walkDistinct, type JsonSink } from './distinct.ts';
import type { ContainerKind, ScalarKind } from './tokens.ts';

/**
 * §2.6: ASCII, `/` as `\/`, empty objects as `[]`, no white space between tokens, shortest escapes.
 *
 * Throws on text that would never have been accepted.
 */
export function encodeJsonForWire(text: string): Buffer {
  return walkDistinct(text, (distinct) => new WireWriter(distinct)).out.bytes();
}

const [QUOTE, BACKSLASH, SLASH, COMMA, COLON] = [0x22, 0x5c, 0x2f, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const SMALL_U = 0x75;

class WireWriter implements JsonSink {
  readonly out: AsciiWriter;
  readonly #text: string;
  /** No comma before the first member, or before the value of a key. */
  #isFirst = true;

  constructor(text: string) {
    this.#text = text;
    this.out = new AsciiWriter(text.length);
  }

  open(kind: ContainerKind): void {
    this.#separate();
    this.out.byte(kind === 'object' ? OPEN_OBJECT : OPEN_ARRAY);
    this.#isFirst = true;
  }

  close(kind: ContainerKind): void {
    const isObject = kind === 'object';
    if (isObject && this.#isFirst) this.out.replaceLast(OPEN_ARRAY);
    this.out.byte(isObject && !this.#isFirst ? CLOSE_OBJECT : CLOSE_ARRAY);
    this.#isFirst = false;
  }

  key(_: string, start: number, end: number): void {
    this.#separate();
    this.#writeString(start, end);
    this.out.byte(COLON);
    this.#isFirst = true;
  }

  scalar(kind: ScalarKind, start: number, end: number): void {
    this.#separate();
    if (kind === 'string') this.#writeString(start, end);
    else this.out.piece(this.#text, start, end);
  }

  #separate(): void {
    if (!this.#isFirst) this.out.byte(COMMA);
    this.#isFirst = false;
  }

  #writeString(start: number, end: number): void {
    const text = this.#text;
    this.out.byte(QUOTE);
    for (let at = start + 1; at < end - 1; at++) {
      const code = text.charCodeAt(at);
      if (code !== BACKSLASH) {
        this.#writeCharacter(code);
        continue;
      }
      const escape = text.charCodeAt(++at);
      if (escape === SMALL_U) {
        this.#writeCharacter(Number.parseInt(text.slice(at + 1, at + 5), 16));
        at += 4;
      } else {
        // Every escape of one character is already the shortest.
        this.out.byte(BACKSLASH);
        this.out.byte(escape);
      }
    }
    this.out.byte(QUOTE);
  }

  #writeCharacter(code: number): void {
    if (code === QUOTE || code === BACKSLASH || code === SLASH) {
      this.out.byte(BACKSLASH);
      this.out.byte(code);
    } else if (code >= 0x20 && code < 0x80) this.out.byte(code);
    else if (SHORT[code] !== undefined) this.out.piece(SHORT[code]);
    else this.#writeEscape(code);
  }

  /** `\\u00e9`, in lower case. */
  #writeEscape(code: number): void {
    this.out.byte(BACKSLASH);
    this.out.byte(SMALL_U);
    for (let shift = 12; shift >= 0; shift -= 4) this.out.byte(HEX[(code >> shift) & 15] ?? 0);
  }
}

const HEX = Buffer.from('0123456789abcdef');
const SHORT: Readonly<Record<number, string>> = {
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
};
