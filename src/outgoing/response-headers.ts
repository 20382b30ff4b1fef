import type { HeaderList } from '#domain/exchange';

/** How much of the response headers is kept, in bytes. */
const KEPT_BYTES = 16 * 1024;

/** Turns undici's flat list of names and values into pairs, as received, as long as they fit. */
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

/** As Latin-1, one character for each byte (RFC 9110 5.5), and as a copy: the buffer is a whole read of the socket. */
function readText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

/** The parser leaves the white space in that may stand behind a value and is no part of it (RFC 9110 5.5). */
function withoutSpaceBehind(value: string): string {
  return value.endsWith(' ') || value.endsWith('\t') ? value.replace(/[ \t]+$/, '') : value;
}

/** The first header of a name, given in lower case. */
export function findHeader(headers: HeaderList, name: string): HeaderList[number] | null {
  for (const header of headers) {
    if (header[0].length === name.length && header[0].toLowerCase() === name) return header;
  }
  return null;
}
