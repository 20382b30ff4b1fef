import { GroupCommit } from './group-commit.ts';

const MAX_BATCH = 200;

/** Group commits, one for each node that asks: what is written together was claimed by the same node. */
export class NodeGroups<Item, Result> {
  readonly #write: (nodeId: string, items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #groups = new Map<string, GroupCommit<Item, Result>>();

  constructor(write: (nodeId: string, items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#write = write;
  }

  async add(nodeId: string, item: Item): Promise<Result> {
    let group = this.#groups.get(nodeId);
    if (!group) {
      const write = (items: readonly Item[]) => this.#write(nodeId, items);
      group = new GroupCommit(write, { maxBatch: MAX_BATCH });
      this.#groups.set(nodeId, group);
    }
    return group.add(item);
  }
}
