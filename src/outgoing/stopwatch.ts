import type { Clock } from '#domain/base/clock';
import type { Timing } from '#domain/http/exchange';

type Mark =
  | 'resolved'
  | 'connecting'
  | 'connected'
  | 'securing'
  | 'sending'
  | 'answering'
  | 'received';

/** In monotonic milliseconds. */
export class Stopwatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #started: number;
  readonly #at: Partial<Record<Mark, number | undefined>> = {};

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#started = clock.monotonicMs();
  }

  /** Opening a connection replaces the times of the previous one. */
  mark(what: Mark): void {
    const at = this.#at;
    if (what === 'connecting') at.connected = at.securing = undefined;
    at[what] = this.#clock.monotonicMs();
  }

  /** A part that is under way counts up to now. */
  stop(): { durationMs: number; timing: Timing } {
    const end = this.#clock.monotonicMs();
    const at = this.#at;
    return {
      durationMs: Math.round(end - this.#started),
      timing: {
        dnsMs: at.resolved === undefined ? null : between(this.#started, at.resolved),
        connectMs: between(at.connecting, at.connected ?? end),
        tlsMs: between(at.securing, at.sending ?? end),
        waitingMs: between(at.sending, at.answering ?? end),
        receivingMs: between(at.answering, at.received ?? end),
      },
    };
  }
}

/** To a hundredth of a millisecond. */
function between(from: number | undefined, until: number): number | null {
  return from === undefined ? null : Math.round((until - from) * 100) / 100;
}
