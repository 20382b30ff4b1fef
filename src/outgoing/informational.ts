import type { Socket } from 'node:net';

/** How much of informational responses is buffered until their end arrives, in bytes. */
const MAX_HELD_BYTES = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Removes informational responses (1xx, §2.7) from what a socket reads, before the HTTP parser sees them.
 *
 * undici 8.12 treats a `100 Continue` that it did not ask for as a broken response, and HTTP allows a server to send
 * any number of them to anyone (RFC 9110 15.2). Only the bytes at the start of a response are examined, so a response
 * costs one comparison. `101 Switching Protocols` is passed on, because no request asks for it.
 */
export class InformationalSkipper {
  #isAtStart = false;
  #held: Buffer | null = null;

  constructor(socket: Socket) {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const chunk: unknown = read(size);
      if (!this.#isAtStart || !Buffer.isBuffer(chunk)) return chunk;
      return this.#filter(chunk, read);
    };
  }

  /** Announces that a request is being written, so that the next bytes start a response. */
  expectAnswer(): void {
    this.#isAtStart = true;
    this.#held = null;
  }

  /** Reads on if a chunk held only informational responses: null would tell the parser that the socket has no more. */
  #filter(chunk: Buffer, read: () => unknown): Buffer | null {
    let next: unknown = chunk;
    while (Buffer.isBuffer(next)) {
      const rest = this.#strip(next);
      if (rest !== null) return rest;
      next = read();
    }
    return null;
  }

  #strip(chunk: Buffer): Buffer | null {
    let bytes = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    for (;;) {
      const kind = beginningOf(bytes);
      if (kind === 'other') break;
      const end = kind === 'informational' ? bytes.indexOf(HEAD_END) : -1;
      if (end === -1) {
        if (bytes.length > MAX_HELD_BYTES) break;
        this.#held = bytes;
        return null;
      }
      bytes = bytes.subarray(end + HEAD_END.length);
      if (bytes.length === 0) return null;
    }
    this.#isAtStart = false;
    return bytes;
  }
}

/** Whether bytes begin with `HTTP/1.x 1yy` where yy is not 01; 'unclear' if they are too few. */
function beginningOf(bytes: Buffer): 'informational' | 'other' | 'unclear' {
  // The tenth byte is the first digit of the status. It alone decides for almost every response.
  if (bytes.length > 9 && bytes[9] !== 0x31) return 'other';
  const start = bytes.toString('latin1', 0, 12);
  if (start.length === 12) {
    return /^HTTP\/1\.\d 1(?!01)\d\d/.test(start) ? 'informational' : 'other';
  }
  return 'HTTP/1.'.startsWith(start.slice(0, 7)) ? 'unclear' : 'other';
}
