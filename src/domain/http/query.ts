import { AsciiWriter } from '../json/ascii-writer.ts';
import { walkDistinct, type JsonSink } from '../json/distinct.ts';
import { type ContainerKind, decodeString, type ScalarKind } from '../json/tokens.ts';

/**
 * In characters. Nested keys repeat in every parameter, so a payload of 11 KB can give 14 MB. Servers accept 8 to 64
 * KiB.
 */
const MAX_QUERY_LENGTH = 128 * 1024;

/**
 * §2.6. Removes the URL's parameters that the payload has as keys. Names are compared decoded, up to the first `[`.
 * Null if it adds more than `MAX_QUERY_LENGTH`.
 * @param payload JSON text of an object or list
 */
export function appendPayloadToUrl(url: string, payload: string | null): string | null {
  if (payload === null) return dropFragment(url);
  const { path, query } = splitUrl(url);
  const given = new Set(query === null ? [] : query.split('&').map(readName));
  const writer = walkDistinct(payload, (distinct) => new QueryWriter(distinct, given));
  if (writer.isTooLong) return null;
  const added = writer.out.bytes().toString('latin1');
  const kept = query === null ? null : dropReplaced(query, (name) => writer.hasNamed(name));
  if (added === '') return kept === null ? path : `${path}?${kept}`;
  if (kept === null || kept === '') return `${path}?${added}`;
  return `${path}?${kept}${kept.endsWith('&') ? '' : '&'}${added}`;
}

function splitUrl(url: string): { path: string; query: string | null } {
  const address = dropFragment(url);
  const queryAt = address.indexOf('?');
  if (queryAt < 0) return { path: address, query: null };
  return { path: address.slice(0, queryAt), query: address.slice(queryAt + 1) };
}

/** Never sent (§2.9). */
export function dropFragment(url: string): string {
  const fragmentAt = url.indexOf('#');
  return fragmentAt < 0 ? url : url.slice(0, fragmentAt);
}

function dropReplaced(query: string, isReplaced: (name: string) => boolean): string | null {
  const given = query.split('&');
  const kept = given.filter((parameter) => parameter === '' || !isReplaced(readName(parameter)));
  if (kept.length === given.length) return query;
  return kept.every((parameter) => parameter === '') ? null : kept.join('&');
}

function readName(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  return baseName(decodeLeniently(name.replaceAll('+', ' ')));
}

function baseName(name: string): string {
  const bracketAt = name.indexOf('[');
  return bracketAt < 0 ? name : name.slice(0, bracketAt);
}

/** Keeps a `%` without a valid escape, as browsers do. */
function decodeLeniently(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

const [AMPERSAND, EQUALS] = [0x26, 0x3d];

/** `next` is the key or index of the next member. */
interface Frame {
  outer: Frame | null;
  next: string | number;
  /** Null for the payload itself. */
  name: string | null | undefined;
}

class QueryWriter implements JsonSink {
  readonly out: AsciiWriter;
  isTooLong = false;
  readonly #text: string;
  #frame: Frame | null = null;
  /** The URL's names, and those that the payload has; up to the first `[`. */
  readonly #given: ReadonlySet<string>;
  readonly #named = new Set<string>();
  #items = 0;

  constructor(text: string, given: ReadonlySet<string>) {
    this.#text = text;
    this.#given = given;
    this.out = new AsciiWriter(text.length);
  }

  hasNamed(name: string): boolean {
    return this.#named.has(name) || (PLACE.test(name) && Number(name) < this.#items);
  }

  open(kind: ContainerKind): void {
    const next = kind === 'array' ? 0 : '';
    this.#frame = { outer: this.#frame, next, name: this.#frame === null ? null : undefined };
  }

  close(): void {
    this.#frame = this.#frame?.outer ?? null;
    this.#goOn();
  }

  key(key: string): void {
    if (this.#frame === null) return;
    this.#frame.next = key;
    if (this.#frame.outer !== null || this.#given.size === 0) return;
    const name = baseName(key);
    if (this.#given.has(name)) this.#named.add(name);
  }

  scalar(kind: ScalarKind, start: number, end: number, isEscaped: boolean): void {
    if (kind !== 'null' && !this.isTooLong && this.#frame !== null) {
      if (this.out.length > 0) this.out.byte(AMPERSAND);
      this.out.piece(nameNext(this.#frame));
      this.out.byte(EQUALS);
      this.out.piece(this.#encodeValue(kind, start, end, isEscaped));
      this.isTooLong = this.out.length > MAX_QUERY_LENGTH;
    }
    this.#goOn();
  }

  #goOn(): void {
    const frame = this.#frame;
    if (frame === null || typeof frame.next !== 'number') return;
    frame.next++;
    if (frame.outer === null) this.#items = frame.next;
  }

  #encodeValue(kind: ScalarKind, start: number, end: number, isEscaped: boolean): string {
    if (kind === 'true') return '1';
    if (kind === 'false') return '0';
    const token = this.#text.slice(start, end);
    return encodePart(kind === 'string' ? decodeString(token, isEscaped) : token);
  }
}

/** Recurses as deep as the payload is nested. */
function nameNext(frame: Frame): string {
  const { outer, next } = frame;
  if (frame.name === undefined) frame.name = outer === null ? null : nameNext(outer);
  const name = typeof next === 'number' ? String(next) : encodePart(next);
  return frame.name === null ? name : `${frame.name}%5B${name}%5D`;
}

const PLACE = /^(?:0|[1-9]\d{0,8})$/;
const UNRESERVED = /^[\w.~-]*$/;

/** Encodes all but RFC 3986's unreserved characters. U+FFFD replaces a lone surrogate. */
function encodePart(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
