import type { Clock } from '#domain/base/clock';
import { FaultLog } from '#domain/base/fault-log';
import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import type { LostClaim } from '#store/nodes/lost-claims';
import type { EngineObserver } from './observer.ts';
import { Peers } from './peers.ts';
import { Repeating } from '#domain/base/repeating';

/** Survives a blocked event loop and a failover of Postgres. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 3_000;
/** After a failed renewal: the next one may use a better connection. */
const RENEW_AGAIN_MS = 500;

interface LeaseOptions {
  store: Store;
  log: Log;
  observer?: Partial<EngineObserver>;
  /** More may be waiting than signals and claims reported. */
  onMoreToDo: () => void;
  leaseMs?: number | undefined;
}

/**
 * Joins the nodes, renews the lease, and settles runs of dead nodes (§3.6).
 *
 * While the node's row exists, its claims are its own, however late the renewal. A node that was declared dead joins
 * under a new id and may not end runs of the old one.
 */
export class Lease {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #observer: Partial<EngineObserver>;
  readonly #onMoreToDo: () => void;
  readonly #leaseMs: number;
  readonly #peers: Peers;
  readonly #beats: Repeating;
  readonly #faults: FaultLog;
  #nodeId = '';
  #renewedAtMs = 0;
  #renewing: Promise<void> | null = null;

  constructor({ store, log, observer = {}, onMoreToDo, leaseMs = LEASE_MS }: LeaseOptions) {
    this.#leaseMs = leaseMs;
    this.#peers = new Peers(leaseMs);
    this.#store = store;
    this.#clock = store.clock;
    this.#log = log;
    this.#observer = observer;
    this.#onMoreToDo = onMoreToDo;
    this.#faults = new FaultLog(this.#clock, log, 'node.lease-not-renewed');
    this.#beats = new Repeating(this.#clock, log, null, () => this.#beat());
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  /**
   * Whether the claim's runs may be sent. Queries the database only if the process was blocked for so long that others
   * may have declared it dead. After `stop` nothing may be sent: signing off puts back runs that haven't started.
   *
   * Rejects if the database doesn't answer.
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
   * Running runs are settled like those of a dead node.
   * @returns the claims that were put back, to announce them to other nodes
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
      this.#faults.worked();
      return RENEW_EVERY_MS;
    } catch (error) {
      this.#peers.loseContact();
      this.#faults.failed(error);
      return RENEW_AGAIN_MS;
    }
  }

  /** Shared by simultaneous calls, so a dead node joins again only once. */
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
    this.#observer.leaseLost?.();
    await this.#join();
    // Claims under the old id returned nothing.
    this.#onMoreToDo();
  }

  async #recover(): Promise<void> {
    const dead = await this.#findDead();
    if (dead.length === 0) return;
    const found = await this.#store.nodes.recoverDead(this.#nodeId, this.#clock.now(), dead);
    if (found.nodeIds.length === 0) return;
    this.#log.warn('node.died', found);
    this.#observer.runsCutOff?.({ jobs: found.deadLettered, executions: found.failedExecutions });
    this.#onMoreToDo();
  }

  async #findDead() {
    const askedAtMs = this.#clock.monotonicMs();
    const others = await this.#store.nodes.readOthers(this.#nodeId);
    return this.#peers.findDead(others, askedAtMs, this.#clock.monotonicMs());
  }
}
