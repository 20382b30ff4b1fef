import { GroupCommit, type ItemOwner } from '../database/group-commit.ts';
import { LockedTeams } from '../database/locked-teams.ts';

const MAX_BATCH = 200;

/** A locked row of one team doesn't delay others. */
export function nodeGroups<Item, Result>(
  teamOf: (item: Item) => string,
  write: (nodeId: string, items: readonly Item[]) => Promise<readonly Result[]>,
) {
  const lockedTeams = new LockedTeams<Item>(teamOf);
  const groups = new Map<string, GroupCommit<Item, Result>>();
  const groupOf = (nodeId: string) => {
    let group = groups.get(nodeId);
    if (!group) {
      const writeSome = (items: readonly Item[]) => write(nodeId, items);
      const writeUnlocked = (items: readonly Item[]) => lockedTeams.write(items, writeSome);
      group = new GroupCommit(writeUnlocked, { maxBatch: MAX_BATCH });
      groups.set(nodeId, group);
    }
    return group;
  };
  return {
    /** Rejects if it must be written again later. */
    add: (nodeId: string, item: Item): Promise<Result> => groupOf(nodeId).add(item),
    /** As `add`, but calls the owner instead of returning a promise. */
    put: (nodeId: string, item: Item, owner: ItemOwner<Result>): void =>
      groupOf(nodeId).put(item, owner),
  };
}
