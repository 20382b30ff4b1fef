import type { Log } from '#domain/log';

/** Something main starts and stops: a store, an engine, a listening server. */
export interface Part {
  name: string;
  start(): Promise<void>;
  /** Finishes what is running, for at most `graceMs`, and lets go of what it holds. */
  stop(graceMs: number): Promise<void>;
}

/** What a part may take beyond the grace to let go of what it holds: a database may be silent just then. */
const OVERTIME_MS = 5_000;

/** Starts parts in the order given and stops them in the opposite one, so that each can rely on those before it. */
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

  /** Rejects with the fault of the part that could not start, after the others have been stopped again. */
  async start(): Promise<void> {
    for (const part of this.#parts) await this.add(part);
  }

  /** Starts one part more, which could only be made once those before it had started. */
  async add(part: Part): Promise<void> {
    if (this.#stopping !== null) return;
    try {
      await part.start();
    } catch (fault) {
      await this.stop(0);
      throw fault;
    }
    this.#started.push(part);
  }

  /**
   * True when every part stopped without a fault and in time. One grace for all: what the first part uses of it,
   * the next has not. Called again, it answers with the stop that is under way.
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

/** The process as a service sees it; a test hands in its own. */
interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', heard: () => void): unknown;
}

/**
 * The first SIGTERM or SIGINT asks for a graceful stop, the second one ends the process at once.
 * `echoMs`: a second signal that comes this soon is the same one again. A parent may pass on what the terminal, or
 * systemd, has already told this process, and nobody who says it once means twice.
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
