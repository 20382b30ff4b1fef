import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { HeaderList } from '#domain/http/exchange';
import type { BodyCollector } from './body.ts';
import type { PermitUser, PreemptiveSemaphore } from './preemptive-semaphore.ts';
import type { LoopBudget, BudgetedTask } from './loop-budget.ts';

export type Coding = 'gzip' | 'deflate' | 'br';

/** Null if there is none or it is unknown: such a body is kept as received. */
export function codingOf(headers: HeaderList): Coding | null {
  const header = headers.find(
    ([name]) => name.length === 16 && name.toLowerCase() === 'content-encoding',
  );
  switch (header?.[1].toLowerCase() ?? '') {
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

interface DecodingTools {
  budget: LoopBudget;
  /** A brotli decoder may allocate 16 MiB with its first byte. */
  brotliSemaphore: PreemptiveSemaphore;
}

interface DecodingEvents {
  /** Ready for more bytes, after it wasn't. */
  onBodyReady(): void;
  onBodyEnd(): void;
  onBodyCorrupt(coding: Coding): void;
}

/** Small, so a decompression bomb expands piece by piece. */
const CHUNK_BYTES = 32 * 1024;

/**
 * It takes bytes only while `isReady`, so a bomb never expands faster than its output is processed. Decoding stops once
 * nothing more is wanted.
 */
export class DecodedBody implements BudgetedTask, PermitUser {
  readonly #coding: Coding;
  readonly #collector: BodyCollector;
  readonly #tools: DecodingTools;
  readonly #events: DecodingEvents;
  #decoder: Transform | null = null;
  #hasPermit: boolean;
  #isFull = false;
  /** Waits for the budget of the event loop. */
  #unseen: Buffer | null = null;
  #isReceived = false;
  #isStopped = false;

  constructor(
    coding: Coding,
    collector: BodyCollector,
    tools: DecodingTools,
    events: DecodingEvents,
  ) {
    this.#coding = coding;
    this.#collector = collector;
    this.#tools = tools;
    this.#events = events;
    this.#hasPermit = coding !== 'br' || tools.brotliSemaphore.acquire(this);
  }

  get isReady(): boolean {
    return this.#isStopped || (this.#hasPermit && !this.#isFull);
  }

  /** Copies the bytes: they belong to the socket. */
  take(chunk: Buffer): void {
    if (this.#isStopped) return;
    this.#decoder ??= this.#open(chunk);
    this.#isFull = !this.#decoder.write(Buffer.from(chunk));
  }

  /** `onBodyEnd` or `onBodyCorrupt` follows. */
  end(): void {
    this.#isReceived = true;
    // An empty body (status 204, or a length of 0) isn't corrupt.
    if (this.#isStopped || this.#decoder === null) this.#events.onBodyEnd();
    else this.#decoder.end();
  }

  /** No event follows. */
  close(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#unseen = null;
    this.#decoder?.removeAllListeners();
    this.#decoder?.on('error', () => {}).destroy();
    this.#tools.brotliSemaphore.release(this);
  }

  runSlice(): void {
    if (this.#unseen === null) return;
    this.#collector.take(this.#unseen);
    this.#unseen = null;
    if (!this.#collector.isComplete) return void this.#decoder?.resume();
    this.close();
    if (this.#isReceived) this.#events.onBodyEnd();
    else this.#events.onBodyReady();
  }

  onPermit(): void {
    this.#hasPermit = true;
    this.#events.onBodyReady();
  }

  onPermitLost(): void {
    this.#hasPermit = false;
  }

  #open(first: Buffer): Transform {
    const decoder = openDecoder(this.#coding, first);
    decoder.on('data', (chunk: Buffer) => {
      this.#unseen = chunk;
      if (!this.#tools.budget.run(this)) decoder.pause();
    });
    decoder.on('drain', () => {
      this.#isFull = false;
      this.#events.onBodyReady();
    });
    decoder.on('end', () => {
      if (this.#unseen !== null) this.#collector.take(this.#unseen);
      this.close();
      this.#events.onBodyEnd();
    });
    decoder.on('error', () => this.#events.onBodyCorrupt(this.#coding));
    return decoder;
  }
}

function openDecoder(coding: Coding, first: Buffer): Transform {
  const options = { chunkSize: CHUNK_BYTES };
  if (coding === 'gzip') return createGunzip(options);
  if (coding === 'br') return createBrotliDecompress(options);
  // "deflate" is the zlib format (RFC 9110 8.4.1.2), but some servers omit its header.
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
}
