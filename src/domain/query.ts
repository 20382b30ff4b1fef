/** A payload as query parameters of a URL (§2.6, D17). */

import type { JsonNode } from './json-text.ts';

/**
 * The most that a payload may add to a URL, in characters. Nested keys repeat in every parameter below them,
 * so a small payload can ask for a query of gigabytes; no target takes anything near this limit.
 */
export const MAX_QUERY_LENGTH = 16 * 1024 * 1024;

/**
 * Adds the entries of a payload to a URL as given, behind the parameters it has.
 *
 * Every parameter of the URL that a payload key names is dropped first, whatever the key's value: names are
 * compared after decoding, up to the first `[`. All the rest of the URL keeps its spelling, except that the
 * fragment goes. Null: the payload would add more than `MAX_QUERY_LENGTH`.
 */
export function appendPayloadToUrl(url: string, payload: JsonNode | null): string | null {
  const { path, query } = splitUrl(url);
  const added = encodeQuery(payload);
  if (added === null) return null;
  const kept = query === null ? null : dropReplaced(query, listNames(payload));
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

/** A URL as given, without its fragment, which is never sent (D8). */
export function dropFragment(url: string): string {
  const fragmentAt = url.indexOf('#');
  return fragmentAt < 0 ? url : url.slice(0, fragmentAt);
}

/** The names that a payload gives to its parameters, each up to its first `[`. */
function listNames(payload: JsonNode | null): ReadonlySet<string> {
  if (payload?.kind === 'object') return new Set([...payload.entries.keys()].map(baseName));
  if (payload?.kind === 'array') return new Set(payload.items.map((_, index) => String(index)));
  return new Set();
}

/** The query without the named parameters; null when that leaves nothing of it. */
function dropReplaced(query: string, names: ReadonlySet<string>): string | null {
  const given = query.split('&');
  const kept = given.filter((parameter) => parameter === '' || !names.has(readName(parameter)));
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

function encodeQuery(payload: JsonNode | null): string | null {
  if (payload === null) return '';
  const writer = new QueryWriter();
  writer.add(null, payload);
  return writer.length > MAX_QUERY_LENGTH ? null : writer.parameters.join('&');
}

class QueryWriter {
  parameters: string[] = [];
  length = 0;

  /**
   * Recursion is safe here: a tree is never deeper than the parser let it become.
   *
   * @param name  encoded; null for the payload itself
   */
  add(name: string | null, node: JsonNode): void {
    if (this.length > MAX_QUERY_LENGTH) return;
    switch (node.kind) {
      case 'object':
        for (const [key, value] of node.entries) this.add(nestName(name, key), value);
        break;
      case 'array':
        for (const [index, item] of node.items.entries()) this.add(nestName(name, index), item);
        break;
      case 'string':
        this.#push(name, node.value);
        break;
      case 'number':
        this.#push(name, node.text);
        break;
      case 'true':
        this.#push(name, '1');
        break;
      case 'false':
        this.#push(name, '0');
        break;
      case 'null':
        break;
    }
  }

  #push(name: string | null, value: string): void {
    const parameter = `${name ?? ''}=${encodePart(value)}`;
    this.length += parameter.length + 1;
    this.parameters.push(parameter);
  }
}

function nestName(outer: string | null, key: string | number): string {
  const name = encodePart(String(key));
  return outer === null ? name : `${outer}%5B${name}%5D`;
}

/** Percent-encodes all but RFC 3986's unreserved characters. A lone surrogate has no UTF-8: U+FFFD takes its place. */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
