/** The payload of a job or a cron, and how it is sent (§2.1, §2.2, §2.6). */

import { MAX_JSON_DEPTH } from './json/text.ts';
import { type JsonKind, JsonTokens, type JsonVisitor } from './json/tokens.ts';
import { encodeJsonForWire } from './json/wire.ts';

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
  const container = new Container();
  return container.tokens.readWhole(text);
}

/** Stops at a value that is no container, and at one in too many others. */
class Container implements JsonVisitor {
  readonly tokens = new JsonTokens(this);

  begin(kind: JsonKind): void {
    const isContainer = kind === 'object' || kind === 'array';
    const { levels } = this.tokens;
    if (isContainer ? levels === MAX_JSON_DEPTH : levels === 0) this.tokens.stop();
  }

  end(): void {}

  key(): void {}
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
  return json === null ? Buffer.from('[]') : encodeJsonForWire(json);
}
