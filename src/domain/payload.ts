/** What a job or a cron gives as its payload, and what becomes of it (§2.1, §2.2, §2.6). */

import { encodeNodeForWire, escapeJsonAnswer, parseJsonText } from './json-text.ts';
import type { JsonNode } from './json-text.ts';

/** JSON (an object or an array) as given, or other text; null for no payload. */
export type Payload = { kind: 'json'; text: string } | { kind: 'text'; text: string } | null;

/**
 * Reads the payload string of a cron (§2.1): JSON when it parses as an object or array, otherwise text.
 *
 * Deeper than 512 levels it is text as well (D16). Null, empty or all white space: no payload (D5).
 */
export function readCronPayload(text: string | null): Payload {
  if (text === null || text.trim() === '') return null;
  const node = parseJsonText(text);
  const isJson = typeof node !== 'string' && (node.kind === 'object' || node.kind === 'array');
  return { kind: isJson ? 'json' : 'text', text };
}

/**
 * The payload as a tree, or null when there is none or it is empty (`[]`, `{}`): both are sent alike (§2.6).
 *
 * Throws on JSON text that could not have been accepted.
 */
export function expandPayload(payload: Payload): JsonNode | null {
  if (payload === null) return null;
  const { text } = payload;
  if (payload.kind === 'text') {
    const raw = escapeJsonAnswer(text);
    const body: JsonNode = { kind: 'string', value: text, raw };
    return { kind: 'object', entries: new Map([['body', body]]), raw: `{"body":${raw}}` };
  }
  const node = parseJsonText(text);
  if (typeof node === 'string') throw new TypeError(`Payload text is ${node}`);
  return isEmpty(node) ? null : node;
}

function isEmpty(node: JsonNode): boolean {
  if (node.kind === 'object') return node.entries.size === 0;
  return node.kind === 'array' && node.items.length === 0;
}

/** The bytes of a request's body; `[]` stands for no payload. */
export function encodePayload(payload: JsonNode | null): Uint8Array {
  return Buffer.from(payload === null ? '[]' : encodeNodeForWire(payload), 'ascii');
}
