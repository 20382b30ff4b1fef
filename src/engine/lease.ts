import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import type { LostClaim } from '#store/nodes/lost-claims';
import { type EngineObserver, unobserved } from './observer.ts';
import { Peers } from './peers.ts';
import { Repeating } from './chores/repeating.ts';

/** On Postgres a lease is long enough to survive a blocked event loop and a failover of the database. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 3_000;
/** The shorter pause after a failed renewal: the next one may use a better connection. */
const RENEW_AGAIN_MS = 500;
/** On SQLite no other process can be alive, and a jump of the clock must not end the lease. */
const FOREVER_MS = 100 * 365 * 24 * 3600 * 1000;

export interface LeaseOptions {
  store: Store;
  log: Log;
  observer?: Pick<EngineObserver, 'leaseLost' | 'runsCutOff'>;
  /** Called when more may be waiting than signals and claims have reported. */
  onMoreToDo: () => void;
  /** How long a lease lasts, in milliseconds; the default suits the database. */
  leaseMs?: number | undefined;
}

/**
 * This process's membership among the sending nodes: it joins, renews its lease, and settles runs of dead nodes (§3.6).
 *
 * The node's row is the lease (§3.6): while the row exists, the node's claims are its own, even if it was not renewed
 * in time. If another node has declared this one dead, it joins again under a new id, and may no longer end runs of the
 * old id.
 */
export class Lease {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #observer: Pick<EngineObserver, 'leaseLost' | 'runsCutOff'>;
  readonly #onMoreToDo: () => void;
  readonly #leaseMs: number;
  readonly #peers: Peers;
  readonly #beats: Repeating;
  #nodeId = '';
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
    this.#beats = new Repeating(this.#clock, log, null, () => this.#beat());
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  /**
   * Whether a claim still belongs to this node, so that its runs may be sent. This queries the database only if the
   * process was blocked for so long that others may have declared it dead. After `stop` nothing may be sent, because
   * signing off puts back runs that have not started.
   *
   * Rejects if the database does not answer.
   */
  async holds(nodeId: string): Promise<boolean> {
    const sinceMs = this.#clock.monotonicMs() - this.#renewedAtMs;
    if (nodeId === this.#nodeId && sinceMs >= this.#leaseMs) await this.#renew();
    return nodeId === this.#nodeId && !this.#beats.isStopped;
  }

  async start(): Promise<void> {
    await this.#join();
    await this.#recover();
    this.#beats.start(RENEW_EVERY_MS);
  }

  /**
   * Signs off. Running runs are settled at once, like those of a dead node.
   *
   * @param known ids of the running runs and callbacks
   * @returns the claims that were put back, to be announced to other nodes
   */
  async stop(known: ReadonlySet<string>): Promise<readonly LostClaim[]> {
    await this.#beats.stop();
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

  async #beat(): Promise<number> {
    try {
      await this.#renew();
      await this.#recover();
      return RENEW_EVERY_MS;
    } catch (error) {
      this.#peers.loseContact();
      this.#log.warn('node.lease-not-renewed', { error: (error as Error).message });
      return RENEW_AGAIN_MS;
    }
  }

  /**
   * Renews the lease. Simultaneous calls share one renewal, so that a node that was declared dead joins again only
   * once.
   */
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
    if (this.#beats.isStopped) return;
    this.#log.warn('node.lease-lost', { nodeId: this.#nodeId });
    this.#observer.leaseLost();
    await this.#join();
    // Claims under the old id returned nothing, as if nothing waited.
    this.#onMoreToDo();
  }

  async #recover(): Promise<void> {
    const dead = this.#store.isShared ? await this.#findDead() : 'all';
    if (dead.length === 0) return;
    const found = await this.#store.nodes.recoverDead(this.#nodeId, this.#clock.now(), dead);
    if (found.nodeIds.length === 0) return;
    this.#log.warn('node.died', found);
    this.#observer.runsCutOff({ jobs: found.deadLettered, executions: found.failedExecutions });
    this.#onMoreToDo();
  }

  async #findDead() {
    const askedAtMs = this.#clock.monotonicMs();
    const others = await this.#store.nodes.readOthers(this.#nodeId);
    return this.#peers.findDead(others, askedAtMs, this.#clock.monotonicMs());
  }
}
