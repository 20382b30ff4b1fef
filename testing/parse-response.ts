import type { HeaderList } from '#domain/http/exchange';
import { type ResponseFault, ResponseParser } from '#outgoing/response-parser';

export interface ParsedResponse {
  outcome: 'more' | 'end' | ResponseFault;
  status: number | null;
  headers: HeaderList;
  idleSeconds: number | null;
  body: string;
  /** Whether another request may follow. Only after 'end'. */
  isReusable: boolean;
}

/** One buffer for all pieces, as the sockets have one for all reads. It is overwritten behind each piece. */
const READ = Buffer.alloc(256 * 1024);

/**
 * Parses a response that arrives in pieces.
 *
 * @param pauseAfter  after this many events, the rest of a piece is kept for later as if the connection were paused
 */
export function parseResponse(pieces: readonly string[], isClosed: boolean, pauseAfter = Infinity) {
  const parser = new ResponseParser();
  const result: ParsedResponse = {
    outcome: 'more',
    status: null,
    headers: [],
    idleSeconds: null,
    body: '',
    isReusable: false,
  };
  let events = 0;
  for (const [at, piece] of pieces.entries()) {
    parser.feed(READ.subarray(0, READ.write(piece, 'latin1')));
    for (let event = parser.next(); event !== 'more'; event = parser.next()) {
      if (event === 'head') {
        const { status, headers, idleSeconds } = parser;
        Object.assign(result, { status, headers, idleSeconds });
      } else if (event === 'data') {
        result.body += parser.data.toString('latin1');
      } else {
        const isBehind = pieces.slice(at + 1).some((each) => each !== '');
        result.outcome = event;
        result.isReusable = event === 'end' && parser.isReusable && !isBehind;
        return result;
      }
      if (++events !== pauseAfter) continue;
      parser.keep();
      READ.fill('#', 0, piece.length);
    }
    READ.fill('#', 0, piece.length);
  }
  if (isClosed) result.outcome = parser.close();
  return result;
}
