import type { Clock } from '#domain/clock';
import type { Timing } from '#domain/exchange';

/** Measures the parts of one attempt, in milliseconds on the monotonic clock. */
export class Stopwatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #startedMs: number;
  #resolvedMs: number | null = null;
  #connectingMs: number | null = null;
  #connectedMs: number | null = null;
  #readyMs: number | null = null;
  #hasTls = false;
  #sendingMs: number | null = null;
  #answeringMs: number | null = null;
  #receivedMs: number | null = null;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  resolved(): void {
    this.#resolvedMs = this.#clock.monotonicMs();
  }

  /** A connection is being opened. A further try replaces the one before. */
  connecting(): void {
    this.#connectingMs = this.#clock.monotonicMs();
    this.#connectedMs = null;
    this.#readyMs = null;
  }

  connected(hasTls: boolean): void {
    this.#connectedMs = this.#clock.monotonicMs();
    this.#hasTls = hasTls;
  }

  ready(): void {
    if (this.#hasTls) this.#readyMs = this.#clock.monotonicMs();
  }

  sending(): void {
    this.#sendingMs = this.#clock.monotonicMs();
  }

  answering(): void {
    this.#answeringMs = this.#clock.monotonicMs();
  }

  received(): void {
    this.#receivedMs = this.#clock.monotonicMs();
  }

  /** The total duration in whole milliseconds, and its parts. A part that was under way counts up to now. */
  stop(): { durationMs: number; timing: Timing } {
    const endMs = this.#clock.monotonicMs();
    return {
      durationMs: Math.round(endMs - this.#startedMs),
      timing: {
        dnsMs: between(this.#resolvedMs === null ? null : this.#startedMs, this.#resolvedMs),
        connectMs: between(this.#connectingMs, this.#connectedMs ?? endMs),
        tlsMs: this.#hasTls ? between(this.#connectedMs, this.#readyMs ?? endMs) : null,
        waitingMs: between(this.#sendingMs, this.#answeringMs ?? endMs),
        receivingMs: between(this.#answeringMs, this.#receivedMs ?? endMs),
      },
    };
  }
}

/** Rounded to a hundredth of a millisecond. */
function between(fromMs: number | null, toMs: number | null): number | null {
  return fromMs === null || toMs === null ? null : Math.round((toMs - fromMs) * 100) / 100;
}
