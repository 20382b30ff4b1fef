import { newId } from '#domain/base/ids';
import { dropTakenCallbacks } from '../callbacks/callbacks.ts';
import type { Trx } from '../database/database.ts';
import { preparedStatement } from '../database/prepared.ts';
import { lockNode } from './living-node.ts';
import { type RunKey, type SettledOrphans, settleOrphans } from './orphans.ts';
import { type Doubt, releaseLostClaims, type LostClaim } from './lost-claims.ts';
import type { Context } from '../database/context.ts';
import { add, addMissing, change, one, remove } from '../database/rows.ts';

export interface NodeBeat {
  id: string;
  /** Changes with each renewal. Never a time, because clocks may step. */
  beat: number;
  /** No process has this node any more. */
  isGone: boolean;
}

export interface Recovered extends SettledOrphans {
  nodeIds: string[];
}

interface SignedOff extends SettledOrphans {
  lostClaims: LostClaim[];
}

/**
 * A node's row is its lease and the only fence (§3.6). Once another node has deleted it, nothing that the node writes
 * has any effect.
 */
export const nodes = {
  /** Under a new id. */
  async join({ lease }: Context, now: number, leaseMs: number): Promise<string> {
    const id = newId(now);
    await add(lease, 'nodes', { id, started_at: now, lease_until: now + leaseMs });
    return id;
  },

  /** Renews an expired lease, too. False if the node was declared dead. */
  async renew({ lease }: Context, nodeId: string, now: number, leaseMs: number): Promise<boolean> {
    // One statement: a process frozen in a transaction would keep its row locked, and could not be declared dead.
    return (await lease.rows(renewLease, [nodeId, now + leaseMs])).length === 1;
  },

  async readOthers({ lease }: Context, nodeId: string): Promise<NodeBeat[]> {
    const others = await lease.rows(readOthers, [nodeId]);
    return others.map((node) => Object.assign(node, { isGone: lease.dialect.hasOneNode }));
  },

  /** True for one of the living nodes that ask. It keeps the chore for as long as it lives. */
  async takeChore({ main }: Context, nodeId: string, chore: string): Promise<boolean> {
    const key = `node_of_${chore}`;
    const holder = (await one(main, 'installation', { key }, ['value']))?.value;
    if (holder === undefined)
      return (await addMissing(main, 'installation', { key, value: nodeId })) === 1;
    if (holder === nodeId) return true;
    if (await one(main, 'nodes', { id: holder }, ['id'])) return false;
    // Another node may be faster.
    const ofDead = { key, value: holder };
    return (await change(main, 'installation', ofDead, { value: nodeId })) === 1;
  },

  /** See `releaseLostClaims`. Does nothing if the node was declared dead. */
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

  /** In one transaction. Running runs are settled like a dead node's; lost claims wait again (§3.6). */
  async retire(
    { main }: Context,
    nodeId: string,
    known: ReadonlySet<string>,
    now: number,
  ): Promise<SignedOff> {
    return main.transact(async (trx) => {
      const removed = await remove(trx, 'nodes', { id: nodeId });
      if (removed === 0) return { lostClaims: [], deadLettered: 0, failedExecutions: 0 };
      const lostClaims = await releaseLostClaims(trx, nodeId, known, null);
      return { lostClaims, ...(await settleDeadWork(trx, [nodeId], now)) };
    });
  },

  /** In one transaction. Only nodes whose beat hasn't changed, and only while `nodeId` lives. */
  async recoverDead(
    { main }: Context,
    nodeId: string,
    now: number,
    dead: readonly NodeBeat[],
  ): Promise<Recovered> {
    return main.transact(async (trx) => {
      const isAlive = await lockNode(trx, nodeId);
      const nodeIds = isAlive ? await deleteNodes(trx, dead) : [];
      if (nodeIds.length === 0) return { nodeIds, deadLettered: 0, failedExecutions: 0 };
      return { nodeIds, ...(await settleDeadWork(trx, nodeIds, now)) };
    });
  },

  /**
   * Its outcome can't be stored in any other way.
   * @returns false if the run was no longer the node's
   */
  async abandon({ main }: Context, nodeId: string, run: RunKey, now: number): Promise<boolean> {
    const { deadLettered, failedExecutions } = await main.transact((trx) =>
      settleOrphans(trx, [nodeId], now, run),
    );
    return deadLettered + failedExecutions > 0;
  },
};

/** Changes even if the clock stepped back by exactly one interval. */
const renewLease = preparedStatement<{ id: string }>('renew-lease', (dialect) => {
  const [node, until] = [dialect.$(1), dialect.$(2, 'bigint')];
  return `update nodes set lease_until = case lease_until when ${until} then ${until} + 1 else ${until} end
    where id = ${node} returning id`;
});

const readOthers = preparedStatement<Omit<NodeBeat, 'isGone'>>(
  'read-other-nodes',
  (dialect) => `select id, lease_until as beat from nodes where id <> ${dialect.$(1)}`,
);

async function deleteNodes(trx: Trx, dead: readonly NodeBeat[]): Promise<string[]> {
  const nodeIds: string[] = [];
  for (const { id, beat } of dead.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if ((await remove(trx, 'nodes', { id, lease_until: beat })) > 0) nodeIds.push(id);
  }
  return nodeIds;
}

/** Callbacks may have been sent (§6.1). */
async function settleDeadWork(
  trx: Trx,
  nodeIds: readonly string[],
  now: number,
): Promise<SettledOrphans> {
  await dropTakenCallbacks(trx, nodeIds);
  return settleOrphans(trx, nodeIds, now);
}
