import type { Clock } from '#domain/clock';

/** How long a place may be kept while others wait for one, in milliseconds. */
const TURN_MS = 200;
/** How many bytes all decoders together may keep that gave up their place before they were done. */
const MAX_LEFT_BEHIND = 16 * 1024 * 1024;

interface Guest {
  pause(): void;
  resume(): void;
  /** How much memory it keeps, in bytes, also while it is paused. */
  heldBytes(): number;
}

interface Stay extends Guest {
  sinceMs: number;
  hasLeft: boolean;
}

/**
 * A few places for decoders that take much memory each. Without them, two hundred targets that send brotli
 * would take gigabytes; with them, the rest waits within its own timeout.
 *
 * While others wait, a place is held for one turn only, so that a target that stops in the middle of its body does
 * not block it. Its run continues with its next turn, from what it has received so far.
 */
export class Rooms {
  readonly #clock: Clock;
  #free: number;
  /** Those who have a place, the longest stay first. */
  readonly #staying = new Set<Stay>();
  /** Waiting for the first turn, and waiting for another one. A free place goes to each group in alternation. */
  readonly #newcomers = new Set<Stay>();
  readonly #returning = new Set<Stay>();
  #isNewcomersTurn = true;
  #cancel: (() => void) | null = null;

  constructor(count: number, clock: Clock) {
    this.#free = count;
    this.#clock = clock;
  }

  /**
   * Takes a place, or calls `pause` now and `resume` when a place is free. `resume` is called in a later turn of the
   * event loop: a place may be given back from inside the HTTP parser, which cannot run for another response then.
   *
   * @returns what gives the place back, or stops waiting for one; calling it again does nothing
   */
  take(guest: Guest): () => void {
    const stay = { ...guest, sinceMs: 0, hasLeft: false };
    if (this.#free > 0) {
      this.#free--;
      this.#enter(stay);
    } else {
      this.#newcomers.add(stay);
      stay.pause();
      this.#watch();
    }
    return () => this.#leave(stay);
  }

  get #areWaiting(): boolean {
    return this.#newcomers.size + this.#returning.size > 0;
  }

  #enter(stay: Stay): void {
    stay.sinceMs = this.#clock.monotonicMs();
    this.#staying.add(stay);
  }

  #leave(stay: Stay): void {
    if (stay.hasLeft) return;
    stay.hasLeft = true;
    const wasWaiting = this.#newcomers.delete(stay) || this.#returning.delete(stay);
    if (!wasWaiting && this.#staying.delete(stay)) this.#letNextIn();
    if (this.#areWaiting) return;
    this.#cancel?.();
    this.#cancel = null;
  }

  #letNextIn(): void {
    const [newcomer] = this.#newcomers;
    const [returning] = this.#returning;
    const next = this.#isNewcomersTurn ? (newcomer ?? returning) : (returning ?? newcomer);
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#isNewcomersTurn = !this.#isNewcomersTurn;
    if (!this.#newcomers.delete(next)) this.#returning.delete(next);
    this.#enter(next);
    queueMicrotask(() => {
      if (this.#staying.has(next)) next.resume();
    });
  }

  #watch(): void {
    const [longest] = this.#staying;
    if (this.#cancel !== null || longest === undefined || !this.#areWaiting) return;
    const left = longest.sinceMs + TURN_MS - this.#clock.monotonicMs();
    this.#cancel = this.#clock.after(Math.max(1, left), () => {
      this.#cancel = null;
      this.#endTurn();
      this.#watch();
    });
  }

  #endTurn(): void {
    const [longest] = this.#staying;
    if (longest === undefined || !this.#areWaiting) return;
    if (this.#clock.monotonicMs() - longest.sinceMs < TURN_MS) return;
    this.#staying.delete(longest);
    if (this.#leftBehind() + longest.heldBytes() > MAX_LEFT_BEHIND) return this.#enter(longest);
    longest.pause();
    this.#returning.add(longest);
    this.#letNextIn();
  }

  #leftBehind(): number {
    let bytes = 0;
    for (const stay of this.#returning) bytes += stay.heldBytes();
    return bytes;
  }
}
