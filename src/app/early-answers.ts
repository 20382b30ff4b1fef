import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#domain/base/clock';

/** How much of a request is read and dropped (§4.5). */
export const MOST_DROPPED_BYTES = 8 * 1024 * 1024;
const DROPPED_WITHIN_MS = 2_000;

/**
 * Node would close the connection, the kernel would reset it because of unread bytes, and a client that is still
 * sending would see the reset. So the response is sent at once, and its end waits for the rest of the request.
 */
export function deliverEarlyAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Pick<Clock, 'after'>,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return;
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  const endLate = (...given: unknown[]) => {
    if (request.complete || request.destroyed) return end(...given);
    response.end = end as ServerResponse['end'];
    sendAll(response, given);
    dropRest(request, clock, (isWhole) => {
      if (!isWhole) {
        request.pause();
        response.once('finish', () => request.socket.destroySoon());
      }
      end(...given.filter((each) => typeof each === 'function'));
    });
    return response;
  };
  response.end = endLate as ServerResponse['end'];
}

/** @param given the arguments of `end` */
function sendAll(response: ServerResponse, [chunk, encoding]: unknown[]): void {
  const last = typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : '';
  const bytes = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
  if (!response.headersSent && !response.hasHeader('Content-Length'))
    response.setHeader('Content-Length', Buffer.byteLength(last, bytes));
  if (last.length > 0) response.write(last, bytes);
  response.flushHeaders();
}

/** @param done whether that was all */
function dropRest(
  request: IncomingMessage,
  clock: Pick<Clock, 'after'>,
  done: (isWhole: boolean) => void,
): void {
  let dropped = 0;
  const finish = (isWhole: boolean) => {
    stopWaiting();
    request.off('data', drop).off('end', endWhole).off('close', endWhole);
    done(isWhole);
  };
  const drop = (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > MOST_DROPPED_BYTES) finish(false);
  };
  // Nothing is left of a broken connection either.
  const endWhole = () => finish(true);
  const stopWaiting = clock.after(DROPPED_WITHIN_MS, () => finish(false));
  // Removes the Fetch API's reader, which would keep the chunks and pause.
  request.removeAllListeners('data').removeAllListeners('readable');
  request.on('data', drop).on('end', endWhole).on('close', endWhole).resume();
}
