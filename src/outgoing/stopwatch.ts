import type { Clock } from '#domain/clock';
import type { Timing } from '#domain/exchange';

type Mark =
  | 'resolved'
  | 'connecting'
  | 'connected'
  | 'securing'
  | 'sending'
  | 'answering'
  | 'received';

/** Measures the parts of one attempt, in milliseconds on the monotonic clock. */
export class Stopwatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #started: number;
  readonly #at: Record<Mark, number | null> = {
    resolved: null,
    connecting: null,
    connected: null,
    securing: null,
    sending: null,
    answering: null,
    received: null,
  };

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#started = clock.monotonicMs();
  }

  /** Records the time of an event. Opening a connection replaces the times of the one before. */
  mark(what: Mark): void {
    const at = this.#at;
    if (what === 'connecting') at.connected = at.securing = null;
    at[what] = this.#clock.monotonicMs();
  }

  /** The total duration in whole milliseconds, and its parts. A part that is under way counts up to now. */
  stop(): { durationMs: number; timing: Timing } {
    const end = this.#clock.monotonicMs();
    const at = this.#at;
    return {
      durationMs: Math.round(end - this.#started),
      timing: {
        dnsMs: at.resolved === null ? null : between(this.#started, at.resolved),
        connectMs: between(at.connecting, at.connected ?? end),
        tlsMs: between(at.securing, at.sending ?? end),
        waitingMs: between(at.sending, at.answering ?? end),
        receivingMs: between(at.answering, at.received ?? end),
      },
    };
  }
}

/** Rounded to a hundredth of a millisecond. */
function between(from: number | null, until: number): number | null {
  return from === null ? null : Math.round((until - from) * 100) / 100;
}
