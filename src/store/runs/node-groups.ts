import { GroupCommit } from '../database/group-commit.ts';

const MAX_BATCH = 200;

/** By node, because a batch is one transaction. A locked row of one team doesn't delay others. */
export function nodeGroups<Item, Result>(
  teamOf: (item: Item) => string,
  write: (nodeId: string, items: readonly Item[]) => Promise<readonly Result[]>,
): (nodeId: string) => GroupCommit<Item, Result> {
  const groups = new Map<string, GroupCommit<Item, Result>>();
  return (nodeId) => {
    let group = groups.get(nodeId);
    if (!group) {
      const options = { maxBatch: MAX_BATCH, teamOf };
      group = new GroupCommit((items) => write(nodeId, items), options);
      groups.set(nodeId, group);
    }
    return group;
  };
}
