import type { Clock } from '#domain/clock';

/** How long a permit may be held while others wait, in milliseconds. */
const TURN_MS = 200;
/** How many bytes all paused decoders together may hold. */
const MAX_PAUSED_BYTES = 16 * 1024 * 1024;

interface Pausable {
  pause(): void;
  resume(): void;
  /** How much memory it holds, in bytes, even while it is paused. */
  heldBytes(): number;
}

interface Permit extends Pausable {
  sinceMs: number;
  isReleased: boolean;
}

/**
 * A few permits for decoders that need much memory each. Without it, two hundred targets that send brotli would need
 * gigabytes. With it, the decoders beyond the permits wait within their own timeouts.
 *
 * While others wait, a permit is held for one turn only, so that a target that stops in the middle of its body does
 * not block it. The decoder continues at its next turn with what it has received so far.
 */
export class PreemptiveSemaphore {
  readonly #clock: Clock;
  #free: number;
  /** Permits that are granted, the longest held first. */
  readonly #holding = new Set<Permit>();
  /**
   * Permits that wait for their first turn, and (`#waitingAgain`) for a further one. The two groups are served
   * alternately.
   */
  readonly #waitingFirst = new Set<Permit>();
  readonly #waitingAgain = new Set<Permit>();
  #isFirstsTurn = true;
  #cancel: (() => void) | null = null;

  constructor(count: number, clock: Clock) {
    this.#free = count;
    this.#clock = clock;
  }

  /**
   * Takes a permit, or calls `pause` now and `resume` when a permit is free. `resume` is called from a microtask: a
   * permit may be released from inside the HTTP parser, which cannot run for another response then.
   *
   * @returns a function that releases the permit, or stops waiting for one; calling it again does nothing
   */
  acquire(pausable: Pausable): () => void {
    const permit = { ...pausable, sinceMs: 0, isReleased: false };
    if (this.#free > 0) {
      this.#free--;
      this.#grant(permit);
    } else {
      this.#waitingFirst.add(permit);
      permit.pause();
      this.#watch();
    }
    return () => this.#release(permit);
  }

  get #areWaiting(): boolean {
    return this.#waitingFirst.size + this.#waitingAgain.size > 0;
  }

  #grant(permit: Permit): void {
    permit.sinceMs = this.#clock.monotonicMs();
    this.#holding.add(permit);
  }

  #release(permit: Permit): void {
    if (permit.isReleased) return;
    permit.isReleased = true;
    const wasWaiting = this.#waitingFirst.delete(permit) || this.#waitingAgain.delete(permit);
    if (!wasWaiting && this.#holding.delete(permit)) this.#grantNext();
    if (this.#areWaiting) return;
    this.#cancel?.();
    this.#cancel = null;
  }

  #grantNext(): void {
    const [first] = this.#waitingFirst;
    const [again] = this.#waitingAgain;
    const next = this.#isFirstsTurn ? (first ?? again) : (again ?? first);
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#isFirstsTurn = !this.#isFirstsTurn;
    if (!this.#waitingFirst.delete(next)) this.#waitingAgain.delete(next);
    this.#grant(next);
    queueMicrotask(() => {
      if (this.#holding.has(next)) next.resume();
    });
  }

  #watch(): void {
    const [longest] = this.#holding;
    if (this.#cancel !== null || longest === undefined || !this.#areWaiting) return;
    const left = longest.sinceMs + TURN_MS - this.#clock.monotonicMs();
    this.#cancel = this.#clock.after(Math.max(1, left), () => {
      this.#cancel = null;
      this.#endTurn();
      this.#watch();
    });
  }

  #endTurn(): void {
    const [longest] = this.#holding;
    if (longest === undefined || !this.#areWaiting) return;
    if (this.#clock.monotonicMs() - longest.sinceMs < TURN_MS) return;
    this.#holding.delete(longest);
    if (this.#pausedBytes() + longest.heldBytes() > MAX_PAUSED_BYTES) return this.#grant(longest);
    longest.pause();
    this.#waitingAgain.add(longest);
    this.#grantNext();
  }

  #pausedBytes(): number {
    let bytes = 0;
    for (const permit of this.#waitingAgain) bytes += permit.heldBytes();
    return bytes;
  }
}
