import type { HeaderList } from '#domain/http/exchange';
import type { ResponseFault } from '#outgoing/response-parser';

/**
 * What `ResponseParser` must make of some bytes, written for the reader and not for speed: it reads the whole text from
 * its beginning, one rule of RFC 9112 after the other. Only tests use it.
 */

export interface ParsedResponse {
  outcome: 'more' | 'end' | ResponseFault;
  status: number | null;
  headers: HeaderList;
  idleSeconds: number | null;
  body: string;
  /** Whether another request may follow. Only after 'end'. */
  isReusable: boolean;
}

const KIB = 1024;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const TOKEN = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}!#$%&'*+-.^_\`|~`;
const HEX = `${DIGITS}abcdefABCDEF`;
const WHITE = ' \t';

/** Ends the parsing with what is known so far. */
class Stop extends Error {
  readonly outcome: ParsedResponse['outcome'];
  constructor(outcome: ParsedResponse['outcome']) {
    super(outcome);
    this.outcome = outcome;
  }
}

/**
 * @param text      all bytes, as Latin-1
 * @param isClosed  whether the connection ended behind them
 */
export function parseWhole(text: string, isClosed: boolean): ParsedResponse {
  const result: ParsedResponse = {
    outcome: 'end',
    status: null,
    headers: [],
    idleSeconds: null,
    body: '',
    isReusable: false,
  };
  try {
    parseInto(result, text, isClosed);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    result.outcome = error.outcome;
  }
  return result;
}

function parseInto(result: ParsedResponse, text: string, isClosed: boolean): void {
  let rest = text;
  let head = '';
  for (let informational = 0; ; informational++) {
    if (informational > 16) throw new Stop('too-many-informational');
    head = takeHead(rest, isClosed);
    rest = rest.slice(head.length + 4);
    const status = readStatus(head);
    if (status < 100 || status > 199) break;
    if (status === 101) throw new Stop('not-http');
  }
  const fields = readFields(head);
  const all = (name: string) => valuesOf(fields, name);
  if (!hasValidLength(all('content-length'))) throw new Stop('not-http');
  result.status = readStatus(head);
  result.headers = firstBytesOf(fields);
  result.idleSeconds = readIdleSeconds(all('keep-alive'));
  const isOld = head.startsWith('HTTP/1.0 ');
  const isSmuggling =
    all('transfer-encoding').length > 0 && (isOld || all('content-length').length > 0);
  const connection = itemsOf(all('connection'));
  const mayPersist = isOld ? connection.includes('keep-alive') : !connection.includes('close');
  const behind = takeBody(result, fields, rest, isClosed);
  result.isReusable = mayPersist && behind === '' && !(isSmuggling && hasBody(result.status));
}

function takeHead(text: string, isClosed: boolean): string {
  const end = text.indexOf('\r\n\r\n');
  if (end !== -1 && end + 4 <= 64 * KIB) return text.slice(0, end);
  const begun = text.slice(0, 64 * KIB);
  if (!'HTTP/1.'.startsWith(begun.slice(0, 7))) throw new Stop('not-http');
  if (begun.replaceAll('\r\n', '').includes('\n')) throw new Stop('not-http');
  if (begun.length === 64 * KIB) throw new Stop('headers-too-large');
  throw new Stop(isClosed ? 'closed-before-response' : 'more');
}

/** The status of a head. Its first line is `HTTP/1.x 200 any text`; the text and the space before it are optional. */
function readStatus(head: string): number {
  const [line = ''] = head.split('\r\n');
  const isVersion = line.startsWith('HTTP/1.') && isMadeOf(line.slice(7, 8), DIGITS);
  const digits = line.slice(9, 12);
  const isLine = isVersion && line[8] === ' ' && digits.length === 3 && isMadeOf(digits, DIGITS);
  const reason = line.slice(12);
  if (!isLine || !(reason === '' || reason.startsWith(' ')) || !isText(reason)) {
    throw new Stop('not-http');
  }
  readFields(head);
  return Number(digits);
}

/** Names and values. A line that begins with white space goes on with the value before. */
function readFields(head: string): [string, string][] {
  const fields: [string, string][] = [];
  for (const line of head.split('\r\n').slice(1)) {
    const last = fields.at(-1);
    if (WHITE.includes(line[0] ?? 'x')) {
      if (last === undefined || !isText(line)) throw new Stop('not-http');
      last[1] = trimWhite(`${last[1]} ${trimWhite(line)}`);
      continue;
    }
    const field = readField(line);
    if (field === null) throw new Stop('not-http');
    fields.push(field);
  }
  return fields;
}

function readField(line: string): [string, string] | null {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  const value = line.slice(colon + 1);
  const isValid = name !== '' && isMadeOf(name, TOKEN) && isText(value);
  return isValid ? [name, trimWhite(value)] : null;
}

/** The fields up to the one with which names and values are longer than 16 KiB together. */
function firstBytesOf(fields: readonly [string, string][]): [string, string][] {
  const lengths = fields.map(([name, value]) => name.length + value.length);
  const isWithin = (at: number) =>
    lengths.slice(0, at + 1).reduce((sum, length) => sum + length, 0) <= 16 * KIB;
  return fields.filter((_, at) => isWithin(at));
}

function valuesOf(fields: readonly [string, string][], wanted: string): string[] {
  return fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

function itemsOf(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',').map((item) => trimWhite(item).toLowerCase()));
}

function hasValidLength(lengths: readonly string[]): boolean {
  if (lengths.length === 0) return true;
  const [length = ''] = lengths;
  const isNumber = length !== '' && isMadeOf(length, DIGITS);
  return lengths.length === 1 && isNumber && BigInt(length) < 2n ** 53n;
}

function readIdleSeconds(values: readonly string[]): number | null {
  for (const item of values.join(',').split(/[ \t,]/)) {
    const [name = '', value = ''] = item.split('=', 2);
    const digits = value.split('').findIndex((char) => !DIGITS.includes(char));
    const number = value.slice(0, digits === -1 ? value.length : digits).slice(0, 9);
    if (name.toLowerCase() === 'timeout' && number !== '') return Number(number);
  }
  return null;
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** Takes the body (RFC 9112 6.3). Returns what follows it. */
function takeBody(
  result: ParsedResponse,
  fields: readonly [string, string][],
  rest: string,
  isClosed: boolean,
): string {
  const codings = itemsOf(valuesOf(fields, 'transfer-encoding'));
  const [length] = valuesOf(fields, 'content-length');
  if (!hasBody(result.status ?? 0)) return rest;
  if (codings.length > 0) {
    if (codings.findLast((coding) => coding !== '') === 'chunked') {
      return takeChunks(result, rest, isClosed);
    }
  } else if (length !== undefined) {
    result.body = rest.slice(0, Number(length));
    if (result.body.length < Number(length)) throw new Stop(isClosed ? 'response-cut' : 'more');
    return rest.slice(Number(length));
  }
  result.body = rest;
  throw new Stop(isClosed ? 'end' : 'more');
}

function takeChunks(result: ParsedResponse, text: string, isClosed: boolean): string {
  let rest = text;
  for (;;) {
    const line = takeLine(rest, { maxBytes: 16 * KIB, isClosed, tooLong: 'not-http' });
    rest = rest.slice(line.length + 2);
    const size = readChunkSize(line);
    if (size === 0n) return takeTrailers(rest, isClosed);
    if (size >= 2n ** 53n) throw new Stop('not-http');
    const data = rest.slice(0, Number(size));
    result.body += data;
    if (data.length < Number(size)) throw new Stop(isClosed ? 'response-cut' : 'more');
    rest = rest.slice(data.length);
    if (takeLine(rest, { maxBytes: 2, isClosed, tooLong: 'not-http' }) !== '') {
      throw new Stop('not-http');
    }
    rest = rest.slice(2);
  }
}

/** A size in hexadecimal digits; behind it, perhaps after white space, a semicolon and any text. */
function readChunkSize(line: string): bigint {
  const [beforeSemicolon = ''] = line.split(';', 1);
  const hasExtension = line.includes(';');
  const digits = hasExtension ? trimWhiteBehind(beforeSemicolon) : line;
  if (digits === '' || !isMadeOf(digits, HEX) || !isText(line)) throw new Stop('not-http');
  return BigInt(`0x${digits}`);
}

function takeTrailers(text: string, isClosed: boolean): string {
  let rest = text;
  for (let bytes = 0; ;) {
    const maxBytes = 64 * KIB - bytes;
    const line = takeLine(rest, { maxBytes, isClosed, tooLong: 'headers-too-large' });
    rest = rest.slice(line.length + 2);
    bytes += line.length + 2;
    if (line === '') return rest;
    if (readField(line) === null) throw new Stop('not-http');
  }
}

function takeLine(
  text: string,
  limits: { maxBytes: number; isClosed: boolean; tooLong: ResponseFault },
): string {
  const end = text.indexOf('\r\n');
  if (end !== -1 && end + 2 <= limits.maxBytes) return text.slice(0, end);
  const begun = text.slice(0, limits.maxBytes);
  if (begun.replaceAll('\r\n', '').includes('\n')) throw new Stop('not-http');
  if (begun.length === limits.maxBytes && text !== '') throw new Stop(limits.tooLong);
  throw new Stop(limits.isClosed ? 'response-cut' : 'more');
}

function isMadeOf(text: string, characters: string): boolean {
  return text.split('').every((char) => characters.includes(char));
}

function isText(text: string): boolean {
  return text.split('').every((char) => char === '\t' || (char >= ' ' && char !== '\x7f'));
}

function trimWhite(text: string): string {
  let start = 0;
  while (start < text.length && WHITE.includes(text[start] ?? '')) start++;
  return trimWhiteBehind(text.slice(start));
}

function trimWhiteBehind(text: string): string {
  let end = text.length;
  while (end > 0 && WHITE.includes(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}
