import type { Clock } from '#domain/base/clock';

const SLICE_MS = 200;

export interface PermitUser {
  onPermit(): void;
  onPermitLost(): void;
}

/**
 * Permits for decoders that need much memory: two hundred targets that send brotli would need gigabytes. Decoders
 * without a permit wait within their own timeouts.
 *
 * While others wait, a permit lasts one time slice, so a target that stops in its body doesn't block it. A decoder that
 * lost its permit keeps its memory until its next time slice, so there is at most one.
 */
export class PreemptiveSemaphore {
  readonly #clock: Clock;
  #free: number;
  /** Since when each permit is used; the oldest first. */
  readonly #users = new Map<PermitUser, number>();
  readonly #waiting = new Set<PermitUser>();
  /** Lost its permit; alternates with `#waiting`. */
  #paused: PermitUser | null = null;
  #isPausedNext = false;
  #cancel: (() => void) | null = null;

  constructor(count: number, clock: Clock) {
    this.#free = count;
    this.#clock = clock;
  }

  /** @returns false if `onPermit` follows later */
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

  /** Returns the permit, or stops waiting for one. */
  release(user: PermitUser): void {
    if (this.#users.delete(user)) this.#grantNext();
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
    this.#users.set(user, this.#clock.monotonicMs());
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
    const [longest] = this.#users;
    if (this.#cancel !== null || longest === undefined || !this.#isAwaited) return;
    const leftMs = longest[1] + SLICE_MS - this.#clock.monotonicMs();
    this.#cancel = this.#clock.after(Math.max(1, leftMs), () => {
      this.#cancel = null;
      this.#endSlice();
      this.#watch();
    });
  }

  #endSlice(): void {
    const [longest] = this.#users;
    if (longest === undefined || this.#clock.monotonicMs() - longest[1] < SLICE_MS) return;
    const [user] = longest;
    this.#users.delete(user);
    if (this.#paused !== null) return this.#grant(user);
    this.#paused = user;
    this.#isPausedNext = false;
    user.onPermitLost();
    this.#grantNext();
  }
}
