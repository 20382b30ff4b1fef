/** A payload as query parameters of a URL (§2.6). */

import { AsciiWriter } from './ascii-writer.ts';
import { walkDistinct, type JsonSink } from './json-distinct.ts';
import type { ContainerKind, ScalarKind } from './json-scan.ts';
import { decodeString } from './json-text.ts';

/**
 * The most that a payload may add to a URL, in characters. Nested keys repeat in every parameter below them,
 * so a small payload can ask for a query of gigabytes. No target takes anything near this limit.
 */
export const MAX_QUERY_LENGTH = 16 * 1024 * 1024;

/**
 * Adds the entries of a payload to a URL as given, behind the parameters it has.
 *
 * Every parameter of the URL that a payload key names is dropped first, whatever the key's value: names are
 * compared after decoding, up to the first `[`. All the rest of the URL keeps its spelling, except that the
 * fragment goes. Null: the payload would add more than `MAX_QUERY_LENGTH`.
 *
 * @param payload  JSON text of an object or a list, or null
 */
export function appendPayloadToUrl(url: string, payload: string | null): string | null {
  const { path, query } = splitUrl(url);
  const writer = new QueryWriter(
    payload ?? '',
    query === null ? [] : query.split('&').map(readName),
  );
  if (payload !== null) walkDistinct(payload, writer);
  if (writer.isTooLong) return null;
  const added = writer.out.toString();
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

/** A URL as given, without its fragment, which is never sent (§2.9). */
export function dropFragment(url: string): string {
  const fragmentAt = url.indexOf('#');
  return fragmentAt < 0 ? url : url.slice(0, fragmentAt);
}

/** The query without the named parameters; null when that leaves nothing of it. */
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

/** Percent-decodes what is well-formed; a `%` that starts no escape stands for itself, as in browsers. */
function decodeLeniently(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

const [AMPERSAND, EQUALS] = [0x26, 0x3d];

/** One open container, and which of its members comes next: a key, or a place in a list. */
interface Frame {
  outer: Frame | null;
  next: string | number;
  /** Its encoded name once a member has asked for it; null for the payload itself. */
  name: string | null | undefined;
}

class QueryWriter implements JsonSink {
  readonly out: AsciiWriter;
  isTooLong = false;
  readonly #text: string;
  #frame: Frame | null = null;
  /** Names that the URL has, and those of them that the payload has too, each up to its first `[`. */
  readonly #given: ReadonlySet<string>;
  readonly #named = new Set<string>();
  /** How many items the payload has, as a list. */
  #items = 0;

  /** @param given  names of parameters that the URL has */
  constructor(text: string, given: readonly string[]) {
    this.#text = text;
    this.#given = new Set(given);
    this.out = new AsciiWriter(text.length);
  }

  /** Whether the payload has a parameter of this name, which the URL has. */
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

  key(start: number, end: number, isEscaped: boolean): void {
    if (this.#frame === null) return;
    this.#frame.next = decodeString(this.#text.slice(start, end), isEscaped);
    if (this.#frame.outer !== null || this.#given.size === 0) return;
    const name = baseName(this.#frame.next);
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

  /** Behind an item of a list. */
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

/** The encoded name of the member that comes next. As deep as payloads are nested, and no deeper. */
function nameNext(frame: Frame): string {
  const { outer, next } = frame;
  if (frame.name === undefined) frame.name = outer === null ? null : nameNext(outer);
  const name = typeof next === 'number' ? String(next) : encodePart(next);
  return frame.name === null ? name : `${frame.name}%5B${name}%5D`;
}

const PLACE = /^(?:0|[1-9]\d{0,8})$/;
const UNRESERVED = /^[\w.~-]*$/;

/** Percent-encodes all but RFC 3986's unreserved characters. A lone surrogate has no UTF-8: U+FFFD takes its place. */
function encodePart(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
