import { newId } from '#domain/ids';
import { dropCallbacksUnderWay } from '../callbacks/callbacks.ts';
import type { Database, Trx } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { bindPrepared, preparedStatement } from '../database/prepared.ts';
import { holdNode } from './living-node.ts';
import { type SettledOrphans, settleOrphans } from './orphans.ts';
import { type Doubt, releaseLostClaims, type LostClaim } from './lost-claims.ts';

/** A node as one look at the table shows it. */
export interface NodeBeat {
  id: string;
  /** Another number after each renewal. It is compared, never read as a time: a clock may step. */
  beat: number;
}

/** What the work of dead nodes came to (§3.6). */
export interface Recovered extends SettledOrphans {
  nodeIds: string[];
}

/** What a node leaves when it signs off. */
export interface SignedOff extends SettledOrphans {
  /** What waits again. */
  lostClaims: LostClaim[];
}

/**
 * The processes that send requests. A node's row is its lease and the only fence (§3.6): while it is there, what
 * the node claimed is the node's to end, however long it was not renewed; once another node has deleted it,
 * nothing that the node writes changes anything.
 */
export class NodeStore {
  readonly #db: Database;
  readonly #lease: Database;

  /** @param lease  what leases are renewed on, so that nothing else holds that up */
  constructor(db: Database, lease: Database) {
    this.#db = db;
    this.#lease = lease;
  }

  /** Registers this process under a new id, which no earlier process ever had. */
  async join(now: number, leaseMs: number): Promise<string> {
    const id = newId(now);
    await this.#lease.transact((trx) =>
      trx
        .insertInto('nodes')
        .values({ id, started_at: now, lease_until: now + leaseMs, keeps_slots: 1 })
        .execute(),
    );
    return id;
  }

  /** Renews a lease, also one that ran out; false where the node has been declared dead. */
  async renew(nodeId: string, now: number, leaseMs: number): Promise<boolean> {
    // One statement: a process frozen inside a transaction would hold its row, and nobody could declare it dead.
    const query = bindPrepared(this.#db.dialect, renewLease, [nodeId, now + leaseMs]);
    return (await this.#lease.autocommit(query)).length === 1;
  }

  /** Every node and its beat, `nodeId` left out. */
  async readOthers(nodeId: string): Promise<NodeBeat[]> {
    return this.#lease.autocommit(bindPrepared(this.#db.dialect, readOthers, [nodeId]));
  }

  /**
   * Puts back what is claimed in a node's name without its knowing (see `releaseLostClaims`); nothing where the node
   * has been declared dead.
   */
  async releaseLostClaims(
    nodeId: string,
    known: ReadonlySet<string>,
    doubt: Doubt | null = null,
  ): Promise<LostClaim[]> {
    return this.#db.transact(async (trx) => {
      if (!(await holdNode(trx, this.#db.dialect, nodeId))) return [];
      return releaseLostClaims(trx, this.#db.dialect, nodeId, known, doubt);
    });
  }

  /**
   * Signs off, in one transaction: what the node has under way is settled as a dead one's, and what it does not
   * know of was never started, so it waits again (§3.6).
   *
   * @param known  ids of the runs and callbacks that the node has under way
   */
  async retire(nodeId: string, known: ReadonlySet<string>, now: number): Promise<SignedOff> {
    return this.#db.transact(async (trx) => {
      const { dialect } = this.#db;
      const gone = await trx.deleteFrom('nodes').where('id', '=', nodeId).returning('id').execute();
      if (gone.length === 0) return { lostClaims: [], deadLettered: 0, failedExecutions: 0 };
      const lostClaims = await releaseLostClaims(trx, dialect, nodeId, known, null);
      return { lostClaims, ...(await buryWork(trx, dialect, [nodeId], now)) };
    });
  }

  /**
   * Declares nodes dead and settles what they were running, in one transaction. Only nodes that were not renewed
   * since they were looked at go, and only while `nodeId` itself lives.
   *
   * @param dead  those to declare dead; `all` where no other process can be alive (SQLite)
   */
  async recoverDead(
    nodeId: string,
    now: number,
    dead: readonly NodeBeat[] | 'all',
  ): Promise<Recovered> {
    const { dialect } = this.#db;
    return this.#db.transact(async (trx) => {
      const isAlive = await holdNode(trx, dialect, nodeId);
      const nodeIds = isAlive ? await deleteNodes(trx, nodeId, dead) : [];
      if (nodeIds.length === 0) return { nodeIds, deadLettered: 0, failedExecutions: 0 };
      return { nodeIds, ...(await buryWork(trx, dialect, nodeIds, now)) };
    });
  }

  /**
   * Settles one run as a worker failure, whose outcome cannot be stored in any other way.
   *
   * @returns false where it was not the node's any more
   */
  async abandon(nodeId: string, runId: string, now: number): Promise<boolean> {
    const { deadLettered, failedExecutions } = await this.#db.transact((trx) =>
      settleOrphans(trx, this.#db.dialect, { nodeIds: [nodeId], runId }, now),
    );
    return deadLettered + failedExecutions > 0;
  }
}

/** Makes another number in any case, also where the clock has stepped back by just the time between two renewals. */
const renewLease = preparedStatement<{ id: string }>('renew-lease', (dialect) => {
  const [node, until] = [dialect.$(1), dialect.$(2, 'bigint')];
  return `update nodes set lease_until = case lease_until when ${until} then ${until} + 1 else ${until} end
    where id = ${node} returning id`;
});

const readOthers = preparedStatement<NodeBeat>(
  'read-other-nodes',
  (dialect) => `select id, lease_until as beat from nodes where id <> ${dialect.$(1)}`,
);

async function deleteNodes(
  trx: Trx,
  nodeId: string,
  dead: readonly NodeBeat[] | 'all',
): Promise<string[]> {
  if (dead === 'all') {
    const gone = await trx.deleteFrom('nodes').where('id', '<>', nodeId).returning('id').execute();
    return gone.map(({ id }) => id);
  }
  const nodeIds: string[] = [];
  for (const { id, beat } of dead.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const gone = await trx
      .deleteFrom('nodes')
      .where('id', '=', id)
      .where('lease_until', '=', beat)
      .returning('id')
      .execute();
    if (gone.length > 0) nodeIds.push(id);
  }
  return nodeIds;
}

/** A callback that a dead node had taken may have been sent, so it is given up (§6.1). */
async function buryWork(
  trx: Trx,
  dialect: Dialect,
  nodeIds: readonly string[],
  now: number,
): Promise<SettledOrphans> {
  await dropCallbacksUnderWay(trx, nodeIds);
  return settleOrphans(trx, dialect, { nodeIds }, now);
}
