import type { Log } from '#domain/log';

/** Something that main starts and stops: a store, an engine, a listening server. */
export interface Part {
  name: string;
  start(): Promise<void>;
  /**
   * Finishes running work within `graceMs` and releases its resources. May be called during `start`, which then ends
   * early.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * The time beyond the grace in which a part must release its resources. The database may not be answering just then.
 */
const OVERTIME_MS = 5_000;

/** Starts parts in the given order and stops them in reverse, so that each part can rely on those before it. */
export class Service {
  readonly #parts: readonly Part[];
  readonly #log: Log;
  readonly #overtimeMs: number;
  readonly #started: Part[] = [];
  #stopping: Promise<boolean> | null = null;

  constructor(parts: readonly Part[], log: Log, overtimeMs = OVERTIME_MS) {
    this.#parts = parts;
    this.#log = log;
    this.#overtimeMs = overtimeMs;
  }

  /** If a part cannot start, stops the others again and rejects with that part's fault. */
  async start(): Promise<void> {
    for (const part of this.#parts) await this.add(part);
  }

  /**
   * Starts a further part, for one that could only be created after the others had started.
   *
   * @returns false if the service is being stopped, which also stops this part
   */
  async add(part: Part): Promise<boolean> {
    if (this.#stopping !== null) return false;
    this.#started.push(part);
    try {
      await part.start();
    } catch (fault) {
      // The stop under way ends this part, too.
      if (this.#stopping !== null) return false;
      this.#started.pop();
      await this.stop(0);
      throw fault;
    }
    return this.#stopping === null;
  }

  /**
   * Stops all parts. Resolves to true if every part stopped in time and without a fault. All parts share one grace
   * period. A second call returns the first one's promise.
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

/** The process, as far as `stopOnSignals` needs it; tests pass in their own. */
interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', heard: () => void): unknown;
}

/**
 * The first SIGTERM or SIGINT starts a graceful stop, the second one ends the process at once. A second signal within
 * `echoMs` counts as a repetition of the first: a parent process may pass on a signal that the terminal or systemd
 * has already sent to this process.
 */
export function stopOnSignals(
  source: SignalSource,
  { stop, abort, echoMs }: { stop: () => void; abort: () => void; echoMs: number },
): void {
  let firstAtMs: number | null = null;
  const hear = () => {
    if (firstAtMs === null) {
      firstAtMs = performance.now();
      stop();
    } else if (performance.now() - firstAtMs >= echoMs) abort();
  };
  source.on('SIGTERM', hear);
  source.on('SIGINT', hear);
}
