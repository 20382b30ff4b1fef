import { MAX_JSON_DEPTH } from './json/text.ts';
import { type JsonKind, JsonTokens, type JsonVisitor } from './json/tokens.ts';
import { encodeJsonForWire } from './json/wire.ts';

/** JSON (an object or array) or other text, as given. */
export type Payload = { kind: 'json'; text: string } | { kind: 'text'; text: string } | null;

/** JSON if it is an object or array of at most 512 levels (§2.6), else text. White space means no payload (§4.5). */
export function readCronPayload(text: string | null): Payload {
  if (text === null || text.trim() === '') return null;
  return { kind: isContainer(text) ? 'json' : 'text', text };
}

function isContainer(text: string): boolean {
  const container = new Container();
  return container.tokens.readWhole(text);
}

/** Stops at a value that isn't a container, and at too many levels. */
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
