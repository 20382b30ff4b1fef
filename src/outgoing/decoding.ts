import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

type Coding = 'gzip' | 'deflate' | 'br';

/** The content coding to undo. Null if there is none or it is unknown: such a body is kept as received. */
export function codingOf(contentEncoding: string | null): Coding | null {
  switch (contentEncoding === null ? '' : contentEncoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
      return 'deflate';
    case 'br':
      return 'br';
    default:
      return null;
  }
}

interface DecoderEvents {
  onDecoded(chunk: Buffer): void;
  /** The decoder has processed its input, so more may be written. */
  onDrain(): void;
  onEnd(): void;
  onCorrupt(): void;
}

/** How much a decoder puts out at once, in bytes. It is little, so that a decompression bomb expands piece by piece. */
const CHUNK_BYTES = 32 * 1024;

/**
 * Undoes a content coding on the zlib threads. When `write` returns false, the caller must wait for `onDrain`: a
 * decompression bomb then never expands faster than its output is processed.
 */
export class Decoder {
  readonly #coding: Coding;
  readonly #events: DecoderEvents;
  #stream: Transform | null = null;

  constructor(coding: Coding, events: DecoderEvents) {
    this.#coding = coding;
    this.#events = events;
  }

  /** @returns false if the caller must wait for `onDrain` */
  write(chunk: Buffer): boolean {
    this.#stream ??= this.#open(chunk);
    return this.#stream.write(chunk);
  }

  /** Announces the end of the body; `onEnd` or `onCorrupt` follows. */
  end(): void {
    // An empty body (status 204, or a length of 0) is not corrupt.
    if (this.#stream === null) this.#events.onEnd();
    else this.#stream.end();
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** Frees the decoder's memory; no event follows. */
  close(): void {
    const stream = this.#stream;
    if (stream === null) return;
    stream.removeAllListeners();
    stream.on('error', ignore);
    stream.destroy();
  }

  #open(first: Buffer): Transform {
    const events = this.#events;
    const stream = openStream(this.#coding, first);
    stream.on('data', (chunk: Buffer) => events.onDecoded(chunk));
    stream.on('drain', () => events.onDrain());
    stream.on('end', () => events.onEnd());
    stream.on('error', () => events.onCorrupt());
    return stream;
  }
}

function openStream(coding: Coding, first: Buffer): Transform {
  const options = { chunkSize: CHUNK_BYTES };
  if (coding === 'gzip') return createGunzip(options);
  if (coding === 'br') return createBrotliDecompress(options);
  // "deflate" means the zlib format (RFC 9110 8.4.1.2), but some servers leave out its header of two bytes.
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
}

function ignore(): void {}
