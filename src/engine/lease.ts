import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import type { LostClaim } from '#store/nodes/lost-claims';
import { type EngineObserver, unobserved } from './observer.ts';
import { Peers } from './peers.ts';

/** On Postgres a lease outlives a stalled event loop and a database that fails over. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 3_000;
/** Sooner after a failure: the next one may go over a better connection. */
const RENEW_AGAIN_MS = 500;
/** On SQLite no other process can be alive, and a jump of the clock must not end the lease. */
const FOREVER_MS = 100 * 365 * 24 * 3600 * 1000;

export interface LeaseOptions {
  store: Store;
  log: Log;
  observer?: Pick<EngineObserver, 'leaseLost'>;
  /** Called when more may wait than signals and claims have told of. */
  onMoreToDo: () => void;
  /** How long a lease lasts; by default what suits the database. */
  leaseMs?: number | undefined;
}

/**
 * This process among those that send: joins, renews its lease, and settles what dead ones left behind (§3.6).
 *
 * The node's row is the lease (§3.6): while it is there, the node's claims are its own, also when it could not be
 * renewed in time. Where another node has declared this one dead, it joins again under a new id; what ran under
 * the old one is no longer its to end.
 */
export class Lease {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #observer: Pick<EngineObserver, 'leaseLost'>;
  readonly #onMoreToDo: () => void;
  readonly #leaseMs: number;
  readonly #peers: Peers;
  #nodeId = '';
  #cancel: (() => void) | null = null;
  #stopped = false;
  #renewedAtMs = 0;
  #renewing: Promise<void> | null = null;

  constructor({ store, log, observer = unobserved, onMoreToDo, leaseMs }: LeaseOptions) {
    this.#leaseMs = leaseMs ?? (store.isShared ? LEASE_MS : FOREVER_MS);
    this.#peers = new Peers(this.#leaseMs);
    this.#store = store;
    this.#clock = store.clock;
    this.#log = log;
    this.#observer = observer;
    this.#onMoreToDo = onMoreToDo;
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  /**
   * Whether a claim is still this node's, so that what it gave may be sent. The database is asked only where the
   * process stood still for so long that others may have declared it dead. Once it is stopped nothing may be sent:
   * signing off puts back what is not under way yet.
   *
   * Rejects where the database does not answer: then nobody knows.
   */
  async holds(nodeId: string): Promise<boolean> {
    const sinceMs = this.#clock.monotonicMs() - this.#renewedAtMs;
    if (nodeId === this.#nodeId && sinceMs >= this.#leaseMs) await this.#renew();
    return nodeId === this.#nodeId && !this.#stopped;
  }

  async start(): Promise<void> {
    await this.#join();
    await this.#recover();
    this.#again();
  }

  /**
   * Signs off. What was still running is settled as a dead node's work, at once.
   *
   * @param known  ids of the runs and callbacks that are under way
   * @returns what waits again, for others to hear of
   */
  async stop(known: ReadonlySet<string>): Promise<readonly LostClaim[]> {
    this.#stopped = true;
    this.#cancel?.();
    if (this.#nodeId === '') return [];
    const { nodes } = this.#store;
    const { lostClaims, ...left } = await nodes.retire(this.#nodeId, known, this.#clock.now());
    if (left.deadLettered + left.failedExecutions > 0) this.#log.warn('node.work-cut-off', left);
    return lostClaims;
  }

  async #join(): Promise<void> {
    const askedAtMs = this.#clock.monotonicMs();
    this.#nodeId = await this.#store.nodes.join(this.#clock.now(), this.#leaseMs);
    this.#renewedAtMs = askedAtMs;
    this.#log.info('node.joined', { nodeId: this.#nodeId });
  }

  #again(inMs = RENEW_EVERY_MS): void {
    if (this.#stopped) return;
    this.#cancel = this.#clock.after(inMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    try {
      await this.#renew();
      await this.#recover();
    } catch (error) {
      this.#peers.loseContact();
      this.#log.warn('node.lease-not-renewed', { error: (error as Error).message });
      return this.#again(RENEW_AGAIN_MS);
    }
    this.#again();
  }

  /** One at a time, so that a node that was declared dead joins anew once. */
  async #renew(): Promise<void> {
    this.#renewing ??= this.#renewOrRejoin().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renewOrRejoin(): Promise<void> {
    const askedAtMs = this.#clock.monotonicMs();
    if (await this.#store.nodes.renew(this.#nodeId, this.#clock.now(), this.#leaseMs)) {
      this.#renewedAtMs = askedAtMs;
      return;
    }
    if (this.#stopped) return;
    this.#log.warn('node.lease-lost', { nodeId: this.#nodeId });
    this.#observer.leaseLost();
    await this.#join();
    // Claims under the old id were given nothing, as if nothing waited.
    this.#onMoreToDo();
  }

  async #recover(): Promise<void> {
    const dead = this.#store.isShared ? await this.#findDead() : 'all';
    if (dead.length === 0) return;
    const found = await this.#store.nodes.recoverDead(this.#nodeId, this.#clock.now(), dead);
    if (found.nodeIds.length === 0) return;
    this.#log.warn('node.died', found);
    this.#onMoreToDo();
  }

  async #findDead() {
    const askedAtMs = this.#clock.monotonicMs();
    const others = await this.#store.nodes.readOthers(this.#nodeId);
    return this.#peers.findDead(others, askedAtMs, this.#clock.monotonicMs());
  }
}
