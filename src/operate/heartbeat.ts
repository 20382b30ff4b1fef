import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { ClosableSender } from '#outgoing/exchange';

const BEAT_EVERY_MS = 60_000;
const TIMEOUT_SECONDS = 10;

interface HeartbeatOptions {
  /** May contain a token, so it is never logged. */
  url: string;
  /** May reach every network: the operator chose the address. */
  sender: ClosableSender;
  isWorking: () => boolean;
  clock: Clock;
  log: Log;
}

/** The monitor raises an alarm when calls stop. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #cancel: (() => void) | null = null;
  #stopped = false;
  /** A fault that lasts is logged once. */
  #isFailing = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.clock.after(BEAT_EVERY_MS, () => this.start());
    if (this.#options.isWorking()) void this.#call();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#options.sender.close();
  }

  async #call(): Promise<void> {
    const { url, sender, log } = this.#options;
    const request = { method: 'GET', url, headers: [], body: null } as const;
    const needs = { searchFor: [], paths: [] };
    const exchange = await sender.send(request, { timeoutSeconds: TIMEOUT_SECONDS, needs });
    // `stop` has interrupted the call.
    if (this.#stopped) return;
    const status = 'status' in exchange ? exchange.status : null;
    const isTaken = exchange.kind === 'answered' && exchange.status >= 200 && exchange.status < 300;
    if (!isTaken && !this.#isFailing) log.warn('heartbeat.failed', { kind: exchange.kind, status });
    if (isTaken && this.#isFailing) log.info('heartbeat.arrives-again');
    this.#isFailing = !isTaken;
  }
}
