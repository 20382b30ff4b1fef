/** `resetAtMs`: when the window closes. */
export interface Hit {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetAtMs: number;
}

/** Limits the API requests of one client address (§8.1). */
export interface RateLimiter {
  /** The first request opens a window. A refused one neither opens nor extends it. */
  hit(address: string, nowMs: number): Promise<Hit>;
}

export const RATE_WINDOW_MS = 60_000;

interface Window {
  resetAtMs: number;
  count: number;
}

/**
 * For one process. Closed windows are removed as new ones open. Above `mostAddresses`, the oldest is forgotten: a
 * flood of addresses never causes a refusal.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #limit: number;
  readonly #mostAddresses: number;
  /** Windows are equally long, so they close in the order of insertion. */
  readonly #windows = new Map<string, Window>();

  /** @param limit at least 1 */
  constructor(limit: number, mostAddresses = 100_000) {
    this.#limit = limit;
    this.#mostAddresses = mostAddresses;
  }

  get size(): number {
    return this.#windows.size;
  }

  hit(address: string, nowMs: number): Promise<Hit> {
    const window = this.#findOpen(address, nowMs) ?? this.#open(address, nowMs);
    const allowed = window.count < this.#limit;
    if (allowed) window.count++;
    return Promise.resolve({
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.count,
      resetAtMs: window.resetAtMs,
    });
  }

  #findOpen(address: string, nowMs: number): Window | null {
    const window = this.#windows.get(address);
    return window && isOpen(window.resetAtMs, nowMs) ? window : null;
  }

  #open(address: string, nowMs: number): Window {
    this.#forgetClosed(nowMs);
    const window = { resetAtMs: nowMs + RATE_WINDOW_MS, count: 0 };
    this.#windows.delete(address);
    this.#windows.set(address, window);
    return window;
  }

  #forgetClosed(nowMs: number): void {
    for (const [address, window] of this.#windows) {
      if (isOpen(window.resetAtMs, nowMs) && this.#windows.size < this.#mostAddresses) return;
      this.#windows.delete(address);
    }
  }
}

/** A window in the future was left when the clock was set back, and counts as closed. */
export function isOpen(resetAtMs: number, nowMs: number): boolean {
  return resetAtMs - RATE_WINDOW_MS <= nowMs && nowMs < resetAtMs;
}
