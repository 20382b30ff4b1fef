import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';

/** On Postgres a lease outlives a stalled event loop and a database that fails over. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 3_000;
/** Sooner after a failure: the next one may go over a better connection. */
const RENEW_AGAIN_MS = 500;
/** On SQLite no other process can be alive, and a jump of the clock must not end the lease. */
const FOREVER_MS = 100 * 365 * 24 * 3600 * 1000;

/**
 * This process among those that send: joins, renews its lease, and settles what dead ones left behind
 * (D27). When its own lease was lost it joins again under a new id; what ran under the old one is no
 * longer its to end.
 */
export class Lease {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onMoreToDo: () => void;
  readonly #leaseMs: number;
  #nodeId = '';
  #callOff: (() => void) | null = null;
  #stopped = false;
  #renewedAtMs = 0;

  /**
   * @param onMoreToDo  called when more may wait than signals and claims have told of
   * @param leaseMs  how long a lease lasts; by default what suits the database
   */
  constructor(store: Store, log: Log, onMoreToDo: () => void, leaseMs?: number) {
    this.#leaseMs = leaseMs ?? (store.dialect === 'sqlite' ? FOREVER_MS : LEASE_MS);
    this.#store = store;
    this.#clock = store.clock;
    this.#log = log;
    this.#onMoreToDo = onMoreToDo;
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  /** Whether the lease surely still holds, by this process's own count since it was last renewed. */
  isHeld(): boolean {
    return this.#clock.monotonicMs() - this.#renewedAtMs < this.#leaseMs;
  }

  async start(): Promise<void> {
    await this.#join();
    await this.#recover();
    this.#again();
  }

  /** Signs off. What was still running is settled as a dead node's work, at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    if (this.#nodeId === '') return;
    const left = await this.#store.nodes.retire(this.#nodeId, this.#clock.now());
    if (left.deadLettered + left.failedExecutions > 0) this.#log.warn('node.work-cut-off', left);
  }

  async #join(): Promise<void> {
    const askedAtMs = this.#clock.monotonicMs();
    this.#nodeId = await this.#store.nodes.join(this.#clock.now(), this.#leaseMs);
    this.#renewedAtMs = askedAtMs;
    this.#log.info('node.joined', { nodeId: this.#nodeId });
  }

  #again(inMs = RENEW_EVERY_MS): void {
    if (this.#stopped) return;
    this.#callOff = this.#clock.after(inMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    try {
      const askedAtMs = this.#clock.monotonicMs();
      const now = this.#clock.now();
      if (await this.#store.nodes.renew(this.#nodeId, now, this.#leaseMs)) {
        this.#renewedAtMs = askedAtMs;
      } else {
        this.#log.warn('node.lease-lost', { nodeId: this.#nodeId });
        await this.#join();
        // Claims under the old id were given nothing, as if nothing waited.
        this.#onMoreToDo();
      }
      await this.#recover();
    } catch (error) {
      this.#log.warn('node.lease-not-renewed', { error: (error as Error).message });
      return this.#again(RENEW_AGAIN_MS);
    }
    this.#again();
  }

  async #recover(): Promise<void> {
    const others = this.#store.dialect === 'sqlite' ? 'all' : 'lease-over';
    const found = await this.#store.nodes.recoverDead(this.#nodeId, this.#clock.now(), others);
    if (found.nodeIds.length === 0) return;
    this.#log.warn('node.died', found);
    this.#onMoreToDo();
  }
}
