import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '#domain/base/clock';
import { readTopLevelFields } from '#domain/json/text';
import type { Fields } from '#work/fields';
import { readFormFields } from '#work/form-fields';

/** A larger body is answered with 413 (§4.5). */
const MOST_BODY_BYTES = 1024 * 1024;
/** How long a body may take after the headers. */
export const BODY_WITHIN_MS = 10_000;

/** 'broken-off': the client closed the connection. */
type BodyFault = 'too-large' | 'too-slow' | 'broken-off';

/**
 * Counts the bytes that arrive, so a false `Content-Length` changes nothing. The web server discards the rest of an
 * unread body.
 */
export function readBody(incoming: IncomingMessage, clock: Clock): Promise<Buffer | BodyFault> {
  if (Number(incoming.headers['content-length'] ?? 0) > MOST_BODY_BYTES)
    return Promise.resolve('too-large');
  const { promise, resolve } = Promise.withResolvers<Buffer | BodyFault>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const settle = (outcome: Buffer | BodyFault) => {
    stopWaiting();
    incoming.off('data', take).off('end', finish).off('close', breakOff).off('error', breakOff);
    resolve(outcome);
  };
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) settle('too-large');
    else chunks.push(chunk);
  };
  const finish = () => {
    const [only] = chunks;
    settle(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks));
  };
  const breakOff = () => settle('broken-off');
  const stopWaiting = clock.after(BODY_WITHIN_MS, () => settle('too-slow'));
  incoming.on('data', take).on('end', finish).on('close', breakOff).on('error', breakOff);
  // A stream that has ended emits no further event.
  if (incoming.readableEnded || incoming.destroyed) breakOff();
  return promise;
}

const NO_FIELDS: Fields = new Map();
const JSON_TYPE = /^(?:application\/json|[^/\s]+\/[^/\s]+\+json)$/;

/**
 * By `Content-Type` (§4.5). An unreadable body has no fields.
 * @param wanted the names to read
 */
export function readBodyFields(
  contentType: string | undefined,
  body: Buffer,
  wanted: ReadonlySet<string>,
): Fields {
  const type = readMediaType(contentType);
  if (JSON_TYPE.test(type)) {
    // Decoding would replace invalid UTF-8, but a body is stored as given.
    return (isUtf8(body) ? readTopLevelFields(body.toString(), wanted) : null) ?? NO_FIELDS;
  }
  const isForm = type === '' || type === 'application/x-www-form-urlencoded';
  return isForm ? readFormFields(body, wanted) : NO_FIELDS;
}

function readMediaType(contentType: string | undefined): string {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return type.trim().toLowerCase();
}
