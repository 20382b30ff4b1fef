import type { Dispatcher } from 'undici';
import type { LiveClock } from './live-clock.ts';
import { CONNECT_SECONDS, type FaultCode } from '#domain/connection-faults';
import type { BodyNeeds, Exchange, HeaderList, OutgoingRequest } from '#domain/exchange';
import { BodyCollector } from './body.ts';
import type { Connection, Connections, ConnectionUser } from './connections.ts';
import { codingOf, Decoder } from './decoding.ts';
import { faultOf, type Progress } from './faults.ts';
import type { Guard, Guarded } from './guard.ts';
import { findHeader, readHeaders } from './response-headers.ts';
import type { PreemptiveSemaphore } from './preemptive-semaphore.ts';
import { readTarget, type Target } from './target.ts';
import { Stopwatch } from './stopwatch.ts';
import type { Turns } from './turns.ts';

/** How many addresses of a name are tried. */
const MAX_DIALLED = 3;
/** How much memory a brotli decoder may need, in bytes. */
const BROTLI_BYTES = 16 * 1024 * 1024;
/** How much of one response is read before all others get their turn, in bytes. */
const TURN_BYTES = 64 * 1024;

interface AttemptTools {
  /** The clock for the target's time limits and durations. It stops while this process stands still. */
  clock: LiveClock;
  guard: Guard;
  connections: Connections;
  /** Shares the time for processing response bodies. */
  turns: Turns;
  /** Permits for brotli decoders: each may allocate a window of 16 MiB with its first byte. */
  brotliSemaphore: PreemptiveSemaphore;
  /** Names of headers, in lower case, with which nothing is sent. */
  neverSent: ReadonlySet<string>;
}

interface AttemptOptions {
  timeoutSeconds: number;
  needs: BodyNeeds;
}

/**
 * Why reading is paused: no permit for a brotli decoder, a decoder that is full, another response's turn, or received
 * bytes that are not processed yet.
 */
type Hold = 'brotli' | 'decoder' | 'turn' | 'unseen';

const NO_HEADERS: HeaderList = [];

/**
 * One exchange, from its URL to the last byte of the response. It is a handler of undici's callbacks, and needs no
 * stream, no abort signal and a single promise. It ends exactly once, by calling `resolve`; later events are ignored.
 */
export class Attempt implements Dispatcher.DispatchHandler, ConnectionUser {
  readonly #tools: AttemptTools;
  readonly #request: OutgoingRequest;
  readonly #options: AttemptOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #watch: Stopwatch;
  readonly #cancelTimeout: () => void;
  #cancelConnectLimit: (() => void) | null = null;
  #isSettled = false;

  #target: Target | null = null;
  #addresses: readonly string[] = [];
  #dialled = 0;
  #connection: Connection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #socketFault: Error | null = null;

  #status: number | null = null;
  #responseHeaders: HeaderList = NO_HEADERS;
  #collector: BodyCollector | null = null;
  #decoder: Decoder | null = null;
  #releaseBrotli: (() => void) | null = null;
  #isReceived = false;
  /** The reasons why reading is paused. It goes on when none is left. */
  readonly #holds = new Set<Hold>();
  #readInTurn = 0;
  /** Bytes that were received and are not processed yet. */
  #unseen: Buffer | null = null;
  #receivedBytes = 0;

  constructor(
    tools: AttemptTools,
    request: OutgoingRequest,
    options: AttemptOptions,
    resolve: (exchange: Exchange) => void,
  ) {
    this.#tools = tools;
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#watch = new Stopwatch(tools.clock);
    this.#cancelTimeout = tools.clock.after(options.timeoutSeconds * 1000, () => this.#timeOut());
  }

  start(): void {
    const target = readTarget(this.#request.url);
    if (target === null) return this.#break('url-not-valid');
    this.#target = target;
    const { neverSent } = this.#tools;
    if (this.#request.headers.some(([name]) => neverSent.has(name.toLowerCase()))) {
      return this.#break('header-of-sign-in');
    }
    const guarded = this.#tools.guard.judge(target);
    if (!(guarded instanceof Promise)) return this.#proceed(guarded);
    void guarded.then((outcome) => {
      this.#watch.resolved();
      this.#proceed(outcome);
    });
  }

  #proceed(guarded: Guarded): void {
    if (this.#isSettled) return;
    if (guarded === 'blocked' || guarded === 'unresolvable') {
      return this.#settle({ kind: guarded, ...this.#ending() });
    }
    this.#addresses = guarded;
    this.#dial();
  }

  #dial(): void {
    const target = this.#target;
    const address = this.#addresses[this.#dialled++];
    if (target === null || address === undefined) return this.#break('failed');
    const { url, path, port, tlsHost } = target;
    const connection = this.#tools.connections.take(url.origin, { address, port, tlsHost });
    this.#connection = connection;
    connection.serve(this);
    const { method, headers, body } = this.#request;
    const options: Dispatcher.DispatchOptions & { servername: string } = {
      path,
      method,
      headers: flatten(headers),
      body: body === null || body.length === 0 ? null : body,
      // Always the URL's host: undici would take the name from the `Host` header, and reopens the connection when the
      // name changes.
      servername: url.hostname,
      ...(method === 'DELETE' && body !== null ? { reset: false } : null),
    };
    connection.dispatch(options, this);
  }

  // Methods of `ConnectionUser`.

  onConnecting(): void {
    this.#watch.connecting();
    if (this.#cancelConnectLimit !== null || this.#options.timeoutSeconds <= CONNECT_SECONDS)
      return;
    this.#cancelConnectLimit = this.#tools.clock.after(CONNECT_SECONDS * 1000, () =>
      this.#break('not-opened'),
    );
  }

  onConnected(): void {
    this.#watch.connected(this.#target?.tlsHost !== null);
  }

  onReady(): void {
    this.#watch.ready();
    this.#cancelConnectLimit?.();
    this.#cancelConnectLimit = null;
  }

  onBlocked(): void {
    this.#settle({ kind: 'blocked', ...this.#ending() });
  }

  onSocketFault(error: Error): void {
    this.#socketFault = error;
  }

  // Methods of undici's `DispatchHandler`.

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A fault from before belongs to an earlier socket: this request is sent on a new one.
    this.#socketFault = null;
    this.#watch.sending();
    const connection = this.#connection;
    if (connection === null) return;
    connection.expectAnswer();
    const host = findHeader(this.#request.headers, 'host');
    if (host !== null && host[0] !== 'host') connection.spellHost(host[0]);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#isSettled || (status >= 100 && status < 200)) return;
    this.#status = status;
    this.#watch.answering();
    this.#responseHeaders = readHeaders(controller.rawHeaders);
    const collector = new BodyCollector(this.#options.needs);
    this.#collector = collector;
    // A status below 100 is final and counts as odd (§2.7), but undici reads it as an informational response without
    // a body.
    if (status < 100) return this.#answer(status, collector);
    const coding = codingOf(findHeader(this.#responseHeaders, 'content-encoding')?.[1] ?? null);
    if (coding === null) return;
    if (coding === 'br') {
      this.#releaseBrotli = this.#tools.brotliSemaphore.acquire({
        pause: () => this.#hold('brotli'),
        resume: () => this.#go('brotli'),
        heldBytes: () => BROTLI_BYTES,
      });
    }
    this.#decoder = new Decoder(coding, {
      onDecoded: (chunk) => this.#isSettled || this.#look(collector, chunk),
      onDrain: () => this.#go('decoder'),
      onEnd: () => this.#finishBody(),
      onCorrupt: () => this.#break(`corrupt-${coding}`),
    });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    const collector = this.#collector;
    if (this.#isSettled || collector === null) return;
    this.#receivedBytes += chunk.length;
    this.#takeTurns(chunk.length);
    if (this.#decoder !== null) {
      if (!this.#decoder.write(chunk)) this.#hold('decoder');
      return;
    }
    this.#look(collector, chunk);
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    // If only the end of the connection ends the body, a reset means that the body is incomplete.
    if (this.#socketFault !== null) return this.#fail(this.#socketFault);
    if (this.#connection !== null) this.#tools.connections.release(this.#connection);
    this.#connection = null;
    this.#endBody();
  }

  #endBody(): void {
    this.#isReceived = true;
    this.#watch.received();
    if (this.#decoder === null) this.#finishBody();
    else this.#decoder.end();
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isSettled) return;
    if (this.#isWholeBodyHere()) return this.#endOnClosed();
    if (this.#controller === null && this.#isWorthAnotherDial(error)) {
      this.#dropConnection();
      return this.#dial();
    }
    this.#fail(error);
  }

  /**
   * Whether all bytes of a body of known length have arrived. If reading was paused at the last byte, undici has not
   * yet reported the end of the response, and reports the following end of the connection as an error.
   */
  #isWholeBodyHere(): boolean {
    if (this.#collector === null || this.#isReceived) return false;
    const length = findHeader(this.#responseHeaders, 'content-length');
    const isChunked = findHeader(this.#responseHeaders, 'transfer-encoding') !== null;
    return length !== null && !isChunked && length[1] === String(this.#receivedBytes);
  }

  #endOnClosed(): void {
    this.#dropConnection();
    this.#endBody();
  }

  #isWorthAnotherDial(error: Error): boolean {
    const isOurs = 'code' in error && String(error.code).startsWith('UND_ERR');
    return !isOurs && this.#dialled < Math.min(this.#addresses.length, MAX_DIALLED);
  }

  // The body.

  /** Processes a decoded chunk. Nothing more is read until that is done. */
  #look(collector: BodyCollector, chunk: Buffer): void {
    const isDone = this.#tools.turns.do(() => {
      if (this.#isSettled) return;
      this.#unseen = null;
      collector.take(chunk);
      this.#decoder?.resume();
      this.#go('unseen');
      if (this.#decoder !== null && collector.isSated) this.#stopDecoding();
    });
    if (isDone) return;
    this.#unseen = chunk;
    this.#decoder?.pause();
    this.#hold('unseen');
  }

  /** Stops decoding once no more of the body is needed. The remaining bytes are read and dropped. */
  #stopDecoding(): void {
    this.#closeDecoder();
    if (this.#isReceived) this.#finishBody();
    else this.#go('decoder');
  }

  #closeDecoder(): void {
    this.#decoder?.close();
    this.#decoder = null;
    this.#releaseBrotli?.();
  }

  #hold(why: Hold): void {
    if (this.#holds.size === 0) this.#controller?.pause();
    this.#holds.add(why);
  }

  #go(why: Hold): void {
    if (this.#holds.delete(why) && this.#holds.size === 0 && !this.#isSettled) {
      this.#controller?.resume();
    }
  }

  /**
   * Pauses reading after `TURN_BYTES`: a target that sends as fast as it is read would otherwise occupy the event
   * loop and delay timers.
   */
  #takeTurns(bytes: number): void {
    this.#readInTurn += bytes;
    if (this.#readInTurn < TURN_BYTES) return;
    this.#readInTurn = 0;
    this.#hold('turn');
    setImmediate(() => this.#go('turn'));
  }

  #finishBody(): void {
    if (this.#isSettled || this.#status === null || this.#collector === null) return;
    if (this.#unseen !== null) this.#collector.take(this.#unseen);
    this.#answer(this.#status, this.#collector);
  }

  // The end.

  #answer(status: number, collector: BodyCollector): void {
    this.#settle({ kind: 'answered', status, body: collector.finish(), ...this.#ending() });
  }

  #timeOut(): void {
    const afterSeconds = this.#options.timeoutSeconds;
    const ending = this.#ending();
    // If the process stood still for longer than time limits are extended, its own clock shows less than the timeout.
    const durationMs = Math.max(ending.durationMs, afterSeconds * 1000);
    this.#settle({ kind: 'timed-out', afterSeconds, status: this.#status, ...ending, durationMs });
  }

  #fail(error: Error): void {
    let progress: Progress = 'connecting';
    if (this.#status !== null) progress = 'receiving';
    else if (this.#controller !== null) progress = 'waiting';
    this.#break(faultOf(error, progress));
  }

  #break(fault: FaultCode): void {
    this.#settle({ kind: 'broken', fault, status: this.#status, ...this.#ending() });
  }

  #ending() {
    const { durationMs, timing } = this.#watch.stop();
    const address = this.#addresses[this.#dialled - 1] ?? null;
    return { durationMs, trace: { timing, address, responseHeaders: this.#responseHeaders } };
  }

  #settle(exchange: Exchange): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#resolve(exchange);
    this.#cancelTimeout();
    this.#cancelConnectLimit?.();
    this.#closeDecoder();
    this.#dropConnection();
  }

  /** Closes a connection whose response was not read to its end. */
  #dropConnection(): void {
    if (this.#connection !== null) this.#tools.connections.discard(this.#connection);
    this.#connection = null;
  }
}

function flatten(headers: HeaderList): string[] {
  const flat: string[] = [];
  for (const [name, value] of headers) flat.push(name, value);
  return flat;
}
