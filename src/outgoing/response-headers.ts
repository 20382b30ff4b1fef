import type { HeaderList } from '#domain/exchange';

/** How much of the response headers is kept, in bytes. */
const KEPT_BYTES = 16 * 1024;

/** Turns undici's flat list of names and values into pairs, as received, as many as fit into `KEPT_BYTES`. */
export function readHeaders(raw: unknown): HeaderList {
  if (!Array.isArray(raw)) return [];
  const headers: [string, string][] = [];
  let kept = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = readText(raw[at]);
    const value = withoutSpaceBehind(readText(raw[at + 1]));
    kept += name.length + value.length;
    if (kept > KEPT_BYTES) break;
    headers.push([name, value]);
  }
  return headers;
}

/**
 * Decodes as Latin-1, one character for each byte (RFC 9110 5.5). Copies the text: the buffer is part of a whole read
 * of the socket.
 */
function readText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

/** Removes the white space behind a value, which the parser leaves in and which is not part of it (RFC 9110 5.5). */
function withoutSpaceBehind(value: string): string {
  return value.endsWith(' ') || value.endsWith('\t') ? value.replace(/[ \t]+$/, '') : value;
}

/** The first header with this name, which must be in lower case; null if there is none. */
export function findHeader(headers: HeaderList, name: string): HeaderList[number] | null {
  for (const header of headers) {
    if (header[0].length === name.length && header[0].toLowerCase() === name) return header;
  }
  return null;
}
