import type { ServerCertificate } from '#domain/http/certificate';
import { CONNECT_SECONDS, type FaultCode, faultOf } from '#domain/http/connection-faults';
import type {
  Exchange,
  ExchangeUser,
  HeaderList,
  OutgoingRequest,
  SendOptions,
} from '#domain/http/exchange';
import { BodyCollector } from './body.ts';
import { BlockedAddress, type Connection, type ConnectionUser } from './connection.ts';
import type { Connections } from './connections.ts';
import { type Coding, codingOf, DecodedBody } from './decoding.ts';
import type { Guard, Guarded } from './guard.ts';
import type { LiveClock } from './live-clock.ts';
import type { PreemptiveSemaphore } from './preemptive-semaphore.ts';
import type { HeadWriter } from './request-head.ts';
import type { ResponseParser } from './response-parser.ts';
import { Stopwatch } from './stopwatch.ts';
import type { Target, Targets } from './target.ts';
import type { LoopBudget, BudgetedTask } from './loop-budget.ts';

const MAX_DIALLED = 3;
/** Bytes of one response before the others continue. */
const SLICE_BYTES = 64 * 1024;

export interface AttemptTools {
  /** Stops while this process is blocked. */
  clock: LiveClock;
  targets: Targets;
  guard: Guard;
  connections: Connections;
  budget: LoopBudget;
  brotliSemaphore: PreemptiveSemaphore;
  heads: HeadWriter;
}

const NO_HEADERS: HeaderList = [];

/** Ends exactly once, by `onExchange`; later events are ignored. */
export class Attempt implements ConnectionUser, BudgetedTask {
  readonly #tools: AttemptTools;
  readonly #request: OutgoingRequest;
  readonly #options: SendOptions;
  readonly #user: ExchangeUser;
  readonly #watch: Stopwatch;
  readonly #cancelTimeout: () => void;
  #isSettled = false;

  #target: Target | null = null;
  #head = '';
  #addresses: readonly string[] = [];
  #dialled = 0;
  /** On the live clock; null before the first connection. */
  #openUntilMs: number | null = null;
  #cancelOpening: (() => void) | null = null;
  #connection: Connection | null = null;
  #certificate: ServerCertificate | null = null;
  #isSent = false;

  #status: number | null = null;
  #responseHeaders: HeaderList = NO_HEADERS;
  #collector: BodyCollector | null = null;
  #decodedBody: DecodedBody | null = null;
  #readInSlice = 0;

  constructor(
    tools: AttemptTools,
    request: OutgoingRequest,
    options: SendOptions,
    user: ExchangeUser,
  ) {
    this.#tools = tools;
    this.#request = request;
    this.#options = options;
    this.#user = user;
    this.#watch = new Stopwatch(tools.clock);
    this.#cancelTimeout = tools.clock.after(options.timeoutSeconds * 1000, () => this.#timeOut());
  }

  start(): void {
    try {
      this.#begin();
    } catch {
      this.#break('failed');
    }
  }

  #begin(): void {
    const { targets, guard, heads } = this.#tools;
    const target = targets.read(this.#request.url);
    if (target === null) return this.#break('url-not-valid');
    this.#target = target;
    const head = heads.write(this.#request, target);
    if (typeof head !== 'string') return this.#break(head.fault);
    this.#head = head;
    const guarded = guard.judge(target);
    if (!(guarded instanceof Promise)) return this.#proceed(guarded);
    guarded
      .then((outcome) => {
        this.#watch.mark('resolved');
        this.#proceed(outcome);
      })
      .catch(() => this.#break('failed'));
  }

  #proceed(guarded: Guarded): void {
    if (this.#isSettled) return;
    if (guarded === 'blocked' || guarded === 'unresolvable') {
      return this.#settle({ kind: guarded, ...this.#ending() });
    }
    this.#addresses = guarded;
    this.#dialNext();
  }

  #dialNext(): void {
    this.#dialled++;
    this.#connect();
  }

  #connect(): void {
    const { connections } = this.#tools;
    const target = this.#target;
    const address = this.#addresses[this.#dialled - 1];
    if (target === null || address === undefined) return this.#break('failed');
    this.#connection = connections.take(target.site, address, this);
    if (this.#connection !== null) {
      if (!this.#connection.isResting) this.onReady();
      return;
    }
    this.#watch.mark('connecting');
    this.#connection = connections.open(target.site, address, this);
    if (this.#connection === null) this.#break('stopping');
    else this.#limitOpening();
  }

  get #canDialNext(): boolean {
    return this.#dialled < Math.min(this.#addresses.length, MAX_DIALLED);
  }

  #limitOpening(): void {
    const { clock } = this.#tools;
    const { timeoutSeconds } = this.#options;
    // Without another address, the timeout of the attempt is enough.
    if (!this.#canDialNext && timeoutSeconds <= CONNECT_SECONDS) return;
    const nowMs = clock.monotonicMs();
    this.#openUntilMs ??= nowMs + Math.min(CONNECT_SECONDS, timeoutSeconds) * 1000;
    const addresses = Math.min(this.#addresses.length, MAX_DIALLED) - this.#dialled + 1;
    const shareMs = Math.max(0, this.#openUntilMs - nowMs) / addresses;
    this.#cancelOpening = clock.after(shareMs, () => this.#notOpened('not-opened'));
  }

  #notOpened(fault: FaultCode): void {
    this.#endOpening();
    if (!this.#canDialNext) return this.#break(fault);
    this.#dropConnection();
    this.#dialNext();
  }

  #endOpening(): void {
    this.#cancelOpening?.();
    this.#cancelOpening = null;
  }

  onConnected(): void {
    this.#watch.mark('connected');
    if (this.#target?.site.tlsHost !== null) this.#watch.mark('securing');
  }

  onReady(): void {
    this.#endOpening();
    this.#watch.mark('sending');
    this.#certificate = this.#connection?.takeCertificate() ?? null;
    this.#isSent = true;
    this.#connection?.send(this.#head, this.#request.body);
  }

  onBytes(bytes: Buffer): void {
    this.#readInSlice += bytes.length;
    this.#connection?.parser.feed(bytes);
    if (!this.#tools.budget.run(this)) this.#connection?.pause();
  }

  onClosed(error: Error | null): void {
    const connection = this.#connection;
    if (this.#isSettled || connection === null) return;
    if (error instanceof BlockedAddress)
      return this.#settle({ kind: 'blocked', ...this.#ending() });
    if (!connection.isOpen) return this.#notOpened(faultOf(error, 'connecting'));
    // An idle connection that ended before its use is no fault: nothing was sent.
    if (!this.#isSent) return this.#connect();
    if (error !== null) {
      return this.#break(faultOf(error, this.#status === null ? 'waiting' : 'receiving'));
    }
    const end = connection.parser.close();
    if (end === 'end') this.#endBody();
    else this.#break(end);
  }

  runSlice(): void {
    if (this.#isSettled || this.#connection === null) return;
    try {
      this.#parse(this.#connection);
    } catch {
      this.#break('failed');
    }
  }

  #parse(connection: Connection): void {
    const { parser } = connection;
    while (this.#decodedBody?.isReady !== false) {
      const event = parser.next();
      if (event === 'more') return this.#readOn(connection);
      if (event === 'end') return this.#endReading(connection);
      if (event === 'head') this.#beginBody(parser);
      else if (event === 'data') (this.#decodedBody ?? this.#collector)?.take(parser.data);
      else return this.#break(event);
    }
    connection.pause();
  }

  /** Pauses after `SLICE_BYTES`: otherwise a fast target would occupy the event loop. */
  #readOn(connection: Connection): void {
    if (this.#readInSlice < SLICE_BYTES) return connection.resume();
    this.#readInSlice = 0;
    connection.pause();
    this.#tools.budget.runLater(this);
  }

  #beginBody({ status, headers }: ResponseParser): void {
    this.#watch.mark('answering');
    this.#status = status;
    this.#responseHeaders = headers;
    this.#collector = new BodyCollector(this.#options.needs);
    const coding = codingOf(headers);
    if (coding === null) return;
    this.#decodedBody = new DecodedBody(coding, this.#collector, this.#tools, this);
  }

  #endReading(connection: Connection): void {
    this.#tools.connections.release(connection);
    this.#connection = null;
    this.#endBody();
  }

  #endBody(): void {
    this.#watch.mark('received');
    if (this.#decodedBody === null) this.onBodyEnd();
    else this.#decodedBody.end();
  }

  onBodyReady(): void {
    this.#tools.budget.runLater(this);
  }

  onBodyEnd(): void {
    if (this.#isSettled || this.#status === null || this.#collector === null) return;
    const body = this.#collector.finish();
    this.#settle({ kind: 'answered', status: this.#status, body, ...this.#ending() });
  }

  onBodyCorrupt(coding: Coding): void {
    this.#break(`corrupt-${coding}`);
  }

  #timeOut(): void {
    const afterSeconds = this.#options.timeoutSeconds;
    const ending = this.#ending();
    // If the process was blocked for longer than timeouts are extended, its clock shows less than the timeout.
    const durationMs = Math.max(ending.durationMs, afterSeconds * 1000);
    this.#settle({ kind: 'timed-out', afterSeconds, status: this.#status, ...ending, durationMs });
  }

  #break(fault: FaultCode): void {
    this.#settle({ kind: 'broken', fault, status: this.#status, ...this.#ending() });
  }

  #ending() {
    const { durationMs, timing } = this.#watch.stop();
    const address = this.#addresses[this.#dialled - 1] ?? null;
    const certificate = this.#certificate;
    const trace = { timing, address, responseHeaders: this.#responseHeaders };
    return { durationMs, trace: certificate === null ? trace : { ...trace, certificate } };
  }

  #settle(exchange: Exchange): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#cancelTimeout();
    this.#endOpening();
    this.#decodedBody?.close();
    this.#dropConnection();
    this.#user.onExchange(exchange);
  }

  /** For a response that wasn't read to its end. */
  #dropConnection(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }
}
