import { MAX_JSON_DEPTH, readJsonField } from '../json/text.ts';
import { encodeJsonForWire } from '../json/wire.ts';

/** JSON (an object or array) or other text, as given. */
export type Payload = { kind: 'json'; text: string } | { kind: 'text'; text: string } | null;

/** JSON if it is an object or array of at most 512 levels (§2.6), else text. White space means no payload (§4.5). */
export function readCronPayload(text: string | null): Payload {
  if (text === null || text.trim() === '') return null;
  const field = readJsonField(text);
  const isJson = field !== null && 'depth' in field && field.depth <= MAX_JSON_DEPTH;
  return { kind: isJson ? 'json' : 'text', text };
}

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})\s*$/;

/** Null if there is none or it is empty (§2.6). */
export function payloadAsJson(payload: Payload): string | null {
  if (payload === null) return null;
  if (payload.kind === 'text') return `{"body":${JSON.stringify(payload.text)}}`;
  return EMPTY.test(payload.text) ? null : payload.text;
}

/** `[]` without a payload. Throws on text that would never have been accepted. */
export function encodePayload(json: string | null): Uint8Array {
  return json === null ? Buffer.from('[]') : encodeJsonForWire(json);
}
