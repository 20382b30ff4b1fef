import type { Clock } from '#domain/clock';

/** How long a permit may be held while others wait, in milliseconds. */
const TURN_MS = 200;

export interface PermitUser {
  onPermit(): void;
  onPermitLost(): void;
}

/**
 * A few permits for decoders that need much memory each. Without it, two hundred targets that send brotli would need
 * gigabytes. With it, the decoders beyond the permits wait within their own timeouts.
 *
 * While others wait, a permit is held for one turn only, so that a target that stops in the middle of its body does
 * not block it. A decoder that lost its permit keeps its memory and continues at its next turn, so there is at most one
 * of those.
 */
export class PreemptiveSemaphore {
  readonly #clock: Clock;
  #free: number;
  /** Since when a permit is held, the longest held first. */
  readonly #holding = new Map<PermitUser, number>();
  readonly #waiting = new Set<PermitUser>();
  /** Who lost its permit and waits for another turn. Served by turns with `#waiting`. */
  #paused: PermitUser | null = null;
  #isPausedNext = false;
  #cancel: (() => void) | null = null;

  constructor(count: number, clock: Clock) {
    this.#free = count;
    this.#clock = clock;
  }

  /** @returns whether there is a permit now; else `onPermit` follows */
  acquire(user: PermitUser): boolean {
    if (this.#free === 0) {
      this.#waiting.add(user);
      this.#watch();
      return false;
    }
    this.#free--;
    this.#grant(user);
    return true;
  }

  /** Gives a permit back, or stops waiting for one. */
  release(user: PermitUser): void {
    if (this.#holding.delete(user)) this.#grantNext();
    else if (this.#paused === user) this.#paused = null;
    else this.#waiting.delete(user);
    if (this.#isAwaited) return;
    this.#cancel?.();
    this.#cancel = null;
  }

  get #isAwaited(): boolean {
    return this.#waiting.size > 0 || this.#paused !== null;
  }

  #grant(user: PermitUser): void {
    this.#holding.set(user, this.#clock.monotonicMs());
  }

  #grantNext(): void {
    const [first] = this.#waiting;
    const next = this.#isPausedNext ? (this.#paused ?? first) : (first ?? this.#paused);
    if (next === undefined || next === null) {
      this.#free++;
      return;
    }
    this.#isPausedNext = !this.#isPausedNext;
    if (!this.#waiting.delete(next)) this.#paused = null;
    this.#grant(next);
    next.onPermit();
  }

  #watch(): void {
    const [longest] = this.#holding;
    if (this.#cancel !== null || longest === undefined || !this.#isAwaited) return;
    const leftMs = longest[1] + TURN_MS - this.#clock.monotonicMs();
    this.#cancel = this.#clock.after(Math.max(1, leftMs), () => {
      this.#cancel = null;
      this.#endTurn();
      this.#watch();
    });
  }

  #endTurn(): void {
    const [longest] = this.#holding;
    if (longest === undefined || this.#clock.monotonicMs() - longest[1] < TURN_MS) return;
    const [user] = longest;
    this.#holding.delete(user);
    if (this.#paused !== null) return this.#grant(user);
    this.#paused = user;
    this.#isPausedNext = false;
    user.onPermitLost();
    this.#grantNext();
  }
}
