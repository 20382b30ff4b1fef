import { GroupCommit, type ItemOwner } from '../database/group-commit.ts';
import { HeldTeams } from './held-teams.ts';

const MAX_BATCH = 200;

/**
 * One group commit per node, so that all runs of a batch were claimed by the same node. A locked row of one team does
 * not delay other teams.
 */
export class NodeGroups<Item, Result> {
  readonly #write: (nodeId: string, items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #groups = new Map<string, GroupCommit<Item, Result>>();

  constructor(
    teamOf: (item: Item) => string,
    write: (nodeId: string, items: readonly Item[]) => Promise<readonly Result[]>,
  ) {
    const heldTeams = new HeldTeams<Item>(teamOf);
    this.#write = (nodeId, items) => heldTeams.write(items, (each) => write(nodeId, each));
  }

  /** Resolves once the item is durable; rejects if it must be written again later. */
  add(nodeId: string, item: Item): Promise<Result> {
    return this.#groupOf(nodeId).add(item);
  }

  /** Like `add`, without a promise. */
  put(nodeId: string, item: Item, owner: ItemOwner<Result>): void {
    this.#groupOf(nodeId).put(item, owner);
  }

  #groupOf(nodeId: string): GroupCommit<Item, Result> {
    let group = this.#groups.get(nodeId);
    if (!group) {
      const write = (items: readonly Item[]) => this.#write(nodeId, items);
      group = new GroupCommit(write, { maxBatch: MAX_BATCH });
      this.#groups.set(nodeId, group);
    }
    return group;
  }
}
