import { ByteStore } from '#domain/json/byte-store';
import type { FaultCode } from '#domain/http/connection-faults';
import type { HeaderList } from '#domain/http/exchange';

/** Of a head or a trailer section. */
const MAX_SECTION_BYTES = 64 * 1024;
/** With a chunk's size and extensions. */
const MAX_CHUNK_LINE_BYTES = 16 * 1024;
const MAX_INFORMATIONAL = 16;
const KEPT_BYTES = 16 * 1024;

export type ResponseFault = Extract<
  FaultCode,
  | 'not-http'
  | 'headers-too-large'
  | 'too-many-informational'
  | 'closed-before-response'
  | 'response-cut'
>;

/** 'more': the input is used up. */
type ParserEvent = 'more' | 'head' | 'data' | 'end' | ResponseFault;

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_START = Buffer.from('HTTP/1.');
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*';
const FIELD = `[!#$%&'*+.^_\`|~0-9A-Za-z-]+:${TEXT}`;
/** RFC 9112 4 and 5. A folded value (obs-fold) continues in the next line after white space. */
const HEAD_SYNTAX = new RegExp(
  `^HTTP/1\\.\\d \\d{3}(?: ${TEXT})?(?:\\r\\n${FIELD}(?:\\r\\n[ \\t]${TEXT})*)*$`,
);
/** RFC 9112 7.1. */
const CHUNK_LINE_SYNTAX = new RegExp(`^([0-9A-Fa-f]+)(?:[ \\t]*;${TEXT})?$`);
const TRAILER_SYNTAX = new RegExp(`^${FIELD}$`);

const NOTHING: Buffer = Buffer.alloc(0);
const NO_HEADERS: HeaderList = [];

/**
 * Parses a response (RFC 9112) strictly, in bounded memory, however its bytes are split. Call `feed`, then `next` until
 * it returns 'more', 'end' or a fault.
 *
 * Skips informational responses. `101 Switching Protocols` is a fault, because it is never requested.
 */
export class ResponseParser {
  /** Valid from 'head' on, like the following. */
  status = 0;
  /** The first 16 KiB. */
  headers: HeaderList = NO_HEADERS;
  /** `timeout` of `Keep-Alive`. */
  idleSeconds: number | null = null;
  /** Bytes of the input, not a copy. */
  data: Buffer = NOTHING;

  #input: Buffer = NOTHING;
  #at = 0;
  #state: 'head' | 'body' | 'chunk-line' | 'chunk' | 'chunk-end' | 'trailers' | 'ended' = 'head';
  /** An unfinished head or line. */
  #partial: ByteStore | null = null;
  /** Bytes left of the body or chunk. Infinity: until the connection ends. */
  #left = 0;
  #informational = 0;
  #trailerBytes = 0;
  #isPersistent = false;
  #hasBareLf = false;

  /** After the last one has ended. */
  begin(): void {
    this.#state = 'head';
    this.#informational = 0;
  }

  /** Behind the unused bytes. */
  feed(bytes: Buffer): void {
    const isUsedUp = this.#at === this.#input.length;
    this.#input = isUsedUp ? bytes : Buffer.concat([this.#input.subarray(this.#at), bytes]);
    this.#at = 0;
  }

  /** Copies the rest of the input, so the caller may reuse its buffer. */
  keep(): void {
    this.#input = Buffer.from(this.#input.subarray(this.#at));
    this.#at = 0;
  }

  /** Call it after 'end'. */
  get isReusable(): boolean {
    return this.#isPersistent && this.#at === this.#input.length;
  }

  next(): ParserEvent {
    for (;;) {
      const event = this.#step();
      if (event !== null) return event;
    }
  }

  /** Call it after 'more'. */
  close(): 'end' | ResponseFault {
    if (this.#state === 'head') return 'closed-before-response';
    return this.#state === 'body' && this.#left === Infinity ? 'end' : 'response-cut';
  }

  /** Null: continue. */
  #step(): ParserEvent | null {
    switch (this.#state) {
      case 'head':
        return this.#nextHead();
      case 'body':
        return this.#nextData('ended');
      case 'chunk-line':
        return this.#nextChunkLine();
      case 'chunk':
        return this.#nextData('chunk-end');
      case 'chunk-end':
        return this.#nextChunkEnd();
      case 'trailers':
        return this.#nextTrailer();
      case 'ended':
        return 'end';
    }
  }

  #nextHead(): ParserEvent | null {
    const head = this.#take(HEAD_END, MAX_SECTION_BYTES);
    if (head === null) {
      if (this.#partial !== null && !isHeadStart(this.#partial.bytes())) return 'not-http';
      return this.#whyNotTaken('headers-too-large');
    }
    if (!HEAD_SYNTAX.test(head)) return 'not-http';
    const status = Number(head.slice(9, 12));
    if (status === 101) return 'not-http';
    if (status < 100 || status > 199) return this.#beginBody(head, status);
    return ++this.#informational > MAX_INFORMATIONAL ? 'too-many-informational' : null;
  }

  #beginBody(head: string, status: number): ParserEvent {
    const { headers, framing } = readFields(head);
    const { connection, 'content-length': length, 'transfer-encoding': coding } = framing;
    const isOld = head.startsWith('HTTP/1.0');
    this.status = status;
    this.headers = headers;
    this.idleSeconds = readTimeout(framing['keep-alive']);
    this.#isPersistent = isOld ? hasItem(connection, 'keep-alive') : !hasItem(connection, 'close');
    this.#left = length === null ? Infinity : readLength(length);
    if (Number.isNaN(this.#left)) return 'not-http';
    if (status === 204 || status === 304) {
      this.#state = 'ended';
    } else if (coding === null) {
      this.#state = this.#left === 0 ? 'ended' : 'body';
    } else {
      // Either may be an attempt at smuggling (RFC 9112 6.1).
      if (length !== null || isOld) this.#isPersistent = false;
      this.#left = Infinity;
      this.#state = isChunked(coding) ? 'chunk-line' : 'body';
    }
    return 'head';
  }

  #nextData(stateBehind: 'ended' | 'chunk-end'): ParserEvent {
    const end = Math.min(this.#input.length, this.#at + this.#left);
    if (end === this.#at) return 'more';
    this.data = this.#input.subarray(this.#at, end);
    this.#left -= end - this.#at;
    this.#at = end;
    if (this.#left === 0) this.#state = stateBehind;
    return 'data';
  }

  #nextChunkLine(): ParserEvent | null {
    const line = this.#take(CRLF, MAX_CHUNK_LINE_BYTES);
    if (line === null) return this.#whyNotTaken('not-http');
    const digits = CHUNK_LINE_SYNTAX.exec(line)?.[1];
    if (digits === undefined) return 'not-http';
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    this.#trailerBytes = 0;
    return Number.isSafeInteger(this.#left) ? null : 'not-http';
  }

  #nextChunkEnd(): ParserEvent | null {
    const line = this.#take(CRLF, CRLF.length);
    if (line === null) return this.#whyNotTaken('not-http');
    this.#state = 'chunk-line';
    return null;
  }

  #nextTrailer(): ParserEvent | null {
    const line = this.#take(CRLF, MAX_SECTION_BYTES - this.#trailerBytes);
    if (line === null) return this.#whyNotTaken('headers-too-large');
    this.#trailerBytes += line.length + CRLF.length;
    if (line === '') this.#state = 'ended';
    return line === '' || TRAILER_SYNTAX.test(line) ? null : 'not-http';
  }

  /** Takes the text up to `end`. Null: see `#whyNotTaken`. */
  #take(end: Buffer, maxBytes: number): string | null {
    if (this.#partial === null) {
      const at = this.#input.indexOf(end, this.#at);
      if (at !== -1 && at + end.length - this.#at <= maxBytes) {
        const text = this.#input.toString('latin1', this.#at, at);
        this.#at = at + end.length;
        return text;
      }
      if (this.#at === this.#input.length) return null;
      this.#partial = new ByteStore(maxBytes);
    }
    return this.#takePartial(this.#partial, end);
  }

  #takePartial(partial: ByteStore, end: Buffer): string | null {
    const before = partial.length;
    partial.append(this.#input.subarray(this.#at));
    const bytes = partial.bytes();
    const at = bytes.indexOf(end, Math.max(0, before - end.length + 1));
    if (at === -1) {
      this.#at = this.#input.length;
      this.#hasBareLf ||= hasBareLf(bytes, before);
      return null;
    }
    this.#at += at + end.length - before;
    this.#partial = null;
    return bytes.toString('latin1', 0, at);
  }

  #whyNotTaken(whenTooLong: ResponseFault): ParserEvent {
    if (this.#hasBareLf) return 'not-http';
    return this.#partial?.isFull === true ? whenTooLong : 'more';
  }
}

/** Values of one name are joined by commas (RFC 9110 5.3). Few other headers have names of these lengths. */
interface Framing {
  'content-length': string | null;
  'transfer-encoding': string | null;
  connection: string | null;
  'keep-alive': string | null;
}
const FRAMING_LENGTHS = new Set([10, 14, 17]);

function readFields(head: string): { headers: HeaderList; framing: Framing } {
  const headers: [string, string][] = [];
  const framing: Framing = {
    'content-length': null,
    'transfer-encoding': null,
    connection: null,
    'keep-alive': null,
  };
  const detach = head.length > KEPT_BYTES ? copyText : keepText;
  let kept = 0;
  for (let at = head.indexOf('\r\n'); at !== -1;) {
    const start = at + 2;
    const colon = head.indexOf(':', start);
    at = head.indexOf('\r\n', colon);
    while (at !== -1 && isSpace(head, at + 2)) at = head.indexOf('\r\n', at + 2);
    const name = head.slice(start, colon);
    const value = readValue(head, colon + 1, at === -1 ? head.length : at);
    if (FRAMING_LENGTHS.has(name.length)) noteFraming(framing, name.toLowerCase(), value);
    kept += name.length + value.length;
    if (kept <= KEPT_BYTES) headers.push([detach(name), detach(value)]);
  }
  return { headers, framing };
}

function noteFraming(framing: Framing, name: string, value: string): void {
  if (!isFramingName(framing, name)) return;
  const before = framing[name];
  framing[name] = before === null ? value : `${before},${value}`;
}

function isFramingName(framing: Framing, name: string): name is keyof Framing {
  return Object.hasOwn(framing, name);
}

/** Without white space around it, and a space for each fold (RFC 9112 5.2). */
function readValue(head: string, from: number, until: number): string {
  let start = from;
  let end = until;
  while (start < end && isSpace(head, start)) start++;
  while (end > start && isSpace(head, end - 1)) end--;
  const value = head.slice(start, end);
  if (!value.includes('\r')) return value;
  return value.replace(/(?:[ \t]*\r\n[ \t]*)+/g, ' ').replace(/^ | $/g, '');
}

function itemsOf(list: string): string[] {
  return list.toLowerCase().split(/[ \t]*,[ \t]*/);
}

function hasItem(list: string | null, item: string): boolean {
  if (list === null) return false;
  return list.includes(',') ? itemsOf(list).includes(item) : list.toLowerCase() === item;
}

/** Else the body ends with the connection (RFC 9112 6.3). */
function isChunked(codings: string): boolean {
  return itemsOf(codings).findLast((coding) => coding !== '') === 'chunked';
}

/** NaN if it isn't one safe number. */
function readLength(text: string): number {
  const length = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(length) ? length : NaN;
}

function readTimeout(keepAlive: string | null): number | null {
  const seconds = /(?:^|[ \t,])timeout=(\d{1,9})/i.exec(keepAlive ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

function isHeadStart(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, HEAD_START.length);
  return bytes.compare(HEAD_START, 0, length, 0, length) === 0;
}

function hasBareLf(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(0x0a, from); at !== -1; at = bytes.indexOf(0x0a, at + 1)) {
    if (bytes[at - 1] !== 0x0d) return true;
  }
  return false;
}

function keepText(text: string): string {
  return text;
}

/** A slice of a text keeps the whole text in memory. */
function copyText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
