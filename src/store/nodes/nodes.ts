import { newId } from '#domain/ids';
import { dropCallbacksUnderWay } from '../callbacks/callbacks.ts';
import type { Trx } from '../database/database.ts';
import { preparedStatement } from '../database/prepared.ts';
import { lockNode } from './living-node.ts';
import { type RunKey, type SettledOrphans, settleOrphans } from './orphans.ts';
import { type Doubt, releaseLostClaims, type LostClaim } from './lost-claims.ts';
import type { Context } from '../database/context.ts';
import { add } from '../database/rows.ts';

/** A node, as read by one scan of the table. */
export interface NodeBeat {
  id: string;
  /** A number that changes with each renewal. It is compared, never read as a time, because clocks may step. */
  beat: number;
}

/** How the runs of dead nodes were settled (§3.6). */
export interface Recovered extends SettledOrphans {
  nodeIds: string[];
}

/** The runs and callbacks that a node leaves when it signs off. */
export interface SignedOff extends SettledOrphans {
  /** Runs and callbacks that wait again. */
  lostClaims: LostClaim[];
}

/**
 * The processes that send requests. A node's row is its lease and the only fence (§3.6). While the row exists, the
 * node's claims are its own to end, however long the lease was not renewed. Once another node has deleted the row,
 * nothing that the node writes has any effect.
 */
export const nodes = {
  /** Registers this process under a new id, which was never used before. */
  async join({ lease }: Context, now: number, leaseMs: number): Promise<string> {
    const id = newId(now);
    await add(lease, 'nodes', { id, started_at: now, lease_until: now + leaseMs });
    return id;
  },

  /** Renews a lease, even one that has run out. False if the node has been declared dead. */
  async renew({ lease }: Context, nodeId: string, now: number, leaseMs: number): Promise<boolean> {
    // One statement, not a transaction: a process frozen inside a transaction would keep its row locked, and no node
    // could declare it dead.
    return (await lease.rows(renewLease, [nodeId, now + leaseMs])).length === 1;
  },

  /** Every other node with its beat. */
  async readOthers({ lease }: Context, nodeId: string): Promise<NodeBeat[]> {
    return lease.rows(readOthers, [nodeId]);
  },

  /**
   * Puts back runs and callbacks that were claimed for a node without its knowledge (see `releaseLostClaims`). Does
   * nothing if the node has been declared dead.
   */
  async releaseLostClaims(
    { main }: Context,
    nodeId: string,
    known: ReadonlySet<string>,
    doubt: Doubt | null = null,
  ): Promise<LostClaim[]> {
    return main.transact(async (trx) => {
      if (!(await lockNode(trx, nodeId))) return [];
      return releaseLostClaims(trx, nodeId, known, doubt);
    });
  },

  /**
   * Signs a node off, in one transaction. Its running runs are settled like those of a dead node; runs of lost claims
   * were never started, so they wait again (§3.6).
   *
   * @param known ids of the runs and callbacks that the node is running
   */
  async retire(
    { main }: Context,
    nodeId: string,
    known: ReadonlySet<string>,
    now: number,
  ): Promise<SignedOff> {
    return main.transact(async (trx) => {
      const gone = await trx.deleteFrom('nodes').where('id', '=', nodeId).returning('id').execute();
      if (gone.length === 0) return { lostClaims: [], deadLettered: 0, failedExecutions: 0 };
      const lostClaims = await releaseLostClaims(trx, nodeId, known, null);
      return { lostClaims, ...(await settleDeadWork(trx, [nodeId], now)) };
    });
  },

  /**
   * Declares nodes dead and settles their runs, in one transaction. It deletes only nodes whose beat has not changed
   * since they were looked at, and only while `nodeId` itself lives.
   *
   * @param dead  the nodes; `all` if no other process can be alive (SQLite)
   */
  async recoverDead(
    { main }: Context,
    nodeId: string,
    now: number,
    dead: readonly NodeBeat[] | 'all',
  ): Promise<Recovered> {
    return main.transact(async (trx) => {
      const isAlive = await lockNode(trx, nodeId);
      const nodeIds = isAlive ? await deleteNodes(trx, nodeId, dead) : [];
      if (nodeIds.length === 0) return { nodeIds, deadLettered: 0, failedExecutions: 0 };
      return { nodeIds, ...(await settleDeadWork(trx, nodeIds, now)) };
    });
  },

  /**
   * Settles one run as a worker failure, because its outcome cannot be stored in any other way.
   *
   * @returns false if the run was no longer the node's
   */
  async abandon({ main }: Context, nodeId: string, run: RunKey, now: number): Promise<boolean> {
    const { deadLettered, failedExecutions } = await main.transact((trx) =>
      settleOrphans(trx, { nodeIds: [nodeId], run }, now),
    );
    return deadLettered + failedExecutions > 0;
  },
};

/** Always changes the number, even if the clock has stepped back by exactly the time between two renewals. */
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

/** Gives up the callbacks of dead nodes, which may have been sent (§6.1), and settles their runs. */
async function settleDeadWork(
  trx: Trx,
  nodeIds: readonly string[],
  now: number,
): Promise<SettledOrphans> {
  await dropCallbacksUnderWay(trx, nodeIds);
  return settleOrphans(trx, { nodeIds }, now);
}
