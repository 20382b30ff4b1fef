import type { Log } from '#domain/base/log';

export interface Part {
  name: string;
  start(): Promise<void>;
  /** May be called during `start`, which then ends early. */
  stop(graceMs: number): Promise<void>;
}

/** Time beyond the grace to release resources: the database may not answer. */
const OVERTIME_MS = 5_000;

/** Stops parts in reverse order, so that each can rely on those before it. */
export class Service {
  readonly #log: Log;
  readonly #overtimeMs: number;
  readonly #started: Part[] = [];
  #stopping: Promise<boolean> | null = null;

  constructor(log: Log, overtimeMs = OVERTIME_MS) {
    this.#log = log;
    this.#overtimeMs = overtimeMs;
  }

  /**
   * Starts it.
   * @returns false if the service is being stopped, which also stops this part
   */
  async add(part: Part): Promise<boolean> {
    if (this.#stopping !== null) return false;
    this.#started.push(part);
    try {
      await part.start();
    } catch (fault) {
      // The stop under way also ends this part.
      if (this.#stopping !== null) return false;
      this.#started.pop();
      await this.stop(0);
      throw fault;
    }
    return this.#stopping === null;
  }

  /**
   * True if every part stopped in time and without a fault. All share the grace. A second call returns the first
   * promise.
   */
  stop(graceMs: number): Promise<boolean> {
    this.#stopping ??= this.#stopParts(performance.now() + graceMs);
    return this.#stopping;
  }

  async #stopParts(deadlineMs: number): Promise<boolean> {
    let clean = true;
    for (let part = this.#started.pop(); part !== undefined; part = this.#started.pop()) {
      try {
        const graceMs = Math.max(0, deadlineMs - performance.now());
        await this.#inTime(part.stop(graceMs), graceMs + this.#overtimeMs);
      } catch (error) {
        clean = false;
        this.#log.error('stop.failed', { part: part.name, error });
      }
    }
    return clean;
  }

  async #inTime(stopping: Promise<void>, limitMs: number): Promise<void> {
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(() => limit.reject(new Error('did not stop in time')), limitMs);
    try {
      await Promise.race([stopping, limit.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

/**
 * The first SIGTERM or SIGINT stops gracefully, the second ends the process. One within `echoMs` is a repetition: a
 * parent process may pass on the first.
 */
export function stopOnSignals(
  source: SignalSource,
  { stop, abort, echoMs }: { stop: () => void; abort: () => void; echoMs: number },
): void {
  let firstAtMs: number | null = null;
  const onSignal = () => {
    if (firstAtMs === null) {
      firstAtMs = performance.now();
      stop();
    } else if (performance.now() - firstAtMs >= echoMs) abort();
  };
  source.on('SIGTERM', onSignal);
  source.on('SIGINT', onSignal);
}
