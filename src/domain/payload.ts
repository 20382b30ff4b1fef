/** The payload of a job or a cron, and how it is sent (§2.1, §2.2, §2.6). */

import { JsonScanner, walkValue, type JsonVisitor } from './json-scan.ts';
import { MAX_JSON_DEPTH } from './json-text.ts';
import { encodeJsonForWire } from './json-wire.ts';

/** JSON (an object or an array) as given, or other text; null for no payload. */
export type Payload = { kind: 'json'; text: string } | { kind: 'text'; text: string } | null;

/**
 * Reads the payload string of a cron (§2.1): JSON if it parses as an object or array, otherwise text.
 *
 * JSON with more than 512 levels is text as well (§2.6). Null, an empty text or only white space means no payload
 * (§4.5).
 */
export function readCronPayload(text: string | null): Payload {
  if (text === null || text.trim() === '') return null;
  return { kind: isContainer(text) ? 'json' : 'text', text };
}

/** Whether a text is a JSON object or array within the depth limit of a payload. */
function isContainer(text: string): boolean {
  const scanner = new JsonScanner(text);
  const meter = new DepthMeter();
  return walkValue(scanner, meter) === 'done' && scanner.takeEnd() && meter.hasEntered;
}

class DepthMeter implements JsonVisitor {
  hasEntered = false;
  #depth = 0;

  enter(): boolean {
    this.hasEntered = true;
    return ++this.#depth <= MAX_JSON_DEPTH;
  }

  leave(): void {
    this.#depth--;
  }

  key(): void {}
  scalar(): void {}
}

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})\s*$/;

/** The payload as JSON text; null if there is none or it is empty (`[]`, `{}`): both are sent alike (§2.6). */
export function payloadAsJson(payload: Payload): string | null {
  if (payload === null) return null;
  if (payload.kind === 'text') return `{"body":${JSON.stringify(payload.text)}}`;
  return EMPTY.test(payload.text) ? null : payload.text;
}

/**
 * The bytes of a request's body. Without a payload that is `[]`.
 *
 * Throws on JSON text that would not have been accepted.
 */
export function encodePayload(json: string | null): Uint8Array {
  return Buffer.from(json === null ? '[]' : encodeJsonForWire(json), 'ascii');
}
