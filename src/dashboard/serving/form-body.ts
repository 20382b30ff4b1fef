/** Parses the bytes of a form into names and values, in linear time. They are counted while they are parsed. */
import { readPairs } from '#domain/form-pairs';

type ParsedForm =
  | { kind: 'form'; form: FormData }
  /** More pairs or parts than the limit. */
  | { kind: 'too-many' }
  /** Declared as multipart, but malformed. */
  | { kind: 'broken' }
  /** The `Content-Type` is not that of a form. */
  | { kind: 'not-a-form' };

const HEAD_MAX_BYTES = 1_024;
/** The longest boundary, by RFC 2046 §5.1.1. */
const BOUNDARY_MAX_LENGTH = 70;
const LINE_END = '\r\n';

/** @param maxFields  how many pairs or parts it may have */
export function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string | null,
  maxFields: number,
): ParsedForm {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') return parsePairs(body, maxFields);
  if (type === 'multipart/form-data') return parseParts(body, readBoundary(contentType), maxFields);
  // The form of a button without fields may be sent without a body and without a type.
  return body.length === 0 ? { kind: 'form', form: new FormData() } : { kind: 'not-a-form' };
}

function parsePairs(body: Buffer, maxFields: number): ParsedForm {
  const pairs = readPairs(body, maxFields);
  if (pairs === null) return { kind: 'too-many' };
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  return { kind: 'form', form };
}

function readBoundary(contentType: string | null): string | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? bare ?? '';
  return boundary === '' || boundary.length > BOUNDARY_MAX_LENGTH ? null : boundary;
}

/** Parses parts by RFC 7578, but texts only: none of our pages accepts a file. */
function parseParts(body: Buffer, boundary: string | null, maxFields: number): ParsedForm {
  const broken = { kind: 'broken' } as const;
  const opening = `--${boundary}`;
  if (boundary === null || body.toString('latin1', 0, opening.length) !== opening) return broken;
  const form = new FormData();
  let at = opening.length;
  for (let count = 0; body.toString('latin1', at, at + 2) !== '--'; count++) {
    if (count === maxFields) return { kind: 'too-many' };
    const headEnd = body.indexOf(LINE_END + LINE_END, at);
    if (headEnd === -1 || headEnd - at > HEAD_MAX_BYTES) return broken;
    const name = readPartName(body.toString('utf8', at, headEnd));
    if (name === null) return broken;
    const valueAt = headEnd + 2 * LINE_END.length;
    const valueEnd = body.indexOf(LINE_END + opening, valueAt);
    if (valueEnd === -1) return broken;
    form.append(name, body.toString('utf8', valueAt, valueEnd));
    at = valueEnd + LINE_END.length + opening.length;
  }
  return { kind: 'form', form };
}

const ESCAPES: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/** @param head  the lines before a part's value, each after a line end */
function readPartName(head: string): string | null {
  if (!head.startsWith(LINE_END)) return null;
  const line = head.split(LINE_END).find((each) => /^content-disposition:/i.test(each)) ?? '';
  if (!/^[^:]*:\s*form-data\s*;/i.test(line) || /;\s*filename\*?=/i.test(line)) return null;
  const name = /;\s*name="([^"]*)"/i.exec(line)?.[1];
  return name?.replace(/%22|%0D|%0A/gi, (escape) => ESCAPES[escape.toUpperCase()] ?? '') ?? null;
}
