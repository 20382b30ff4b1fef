import type { TaggedCrons } from '#store/lists/lists';
import type { Store } from '#store/store';
import type { QueueState } from './cron-contract.ts';
import { readQueueStates, standingOf } from './queue-pages.ts';

/** How many crons and queues of a tag are failing, healthy and paused. */
export interface TagCounts {
  tag: string;
  crons: TaggedCrons;
  queues: TaggedCrons;
}

/** The tags of crons and queues (§2.13). */
export function createTagWork(store: Store) {
  const { lists } = store;
  return {
    /** In alphabetical order; without `of`, those of crons and queues. */
    listTags: async (teamId: string, of?: 'crons' | 'queues') => {
      if (of !== undefined) return lists.listTags(teamId, of);
      const both = await Promise.all([
        lists.listTags(teamId, 'crons'),
        lists.listTags(teamId, 'queues'),
      ]);
      return [...new Set(both.flat())].toSorted();
    },
    /** Counts by tag, tags with most failures first; empty where nothing has tags. */
    readTagCounts: (teamId: string) => readTagCounts(store, teamId),
  };
}

async function readTagCounts(store: Store, teamId: string): Promise<TagCounts[]> {
  const [crons, queueTags] = await Promise.all([
    store.lists.countTaggedCrons(teamId),
    store.lists.listTags(teamId, 'queues'),
  ]);
  // The loads of queues are read only if one of them has tags.
  const rows = queueTags.length === 0 ? [] : await readQueueStates(store, teamId);
  const tags = [...new Set([...crons.keys(), ...queueTags])].toSorted();
  const counts = tags.map((tag) => ({
    tag,
    crons: crons.get(tag) ?? NONE,
    queues: countQueues(rows.filter(({ queue }) => queue.tags.includes(tag))),
  }));
  const failing = ({ crons: of, queues }: TagCounts) => of.failing + queues.failing;
  return counts.toSorted((a, b) => failing(b) - failing(a));
}

const NONE: TaggedCrons = { failing: 0, healthy: 0, paused: 0 };

function countQueues(rows: readonly QueueState[]): TaggedCrons {
  const standings = rows.map(standingOf);
  const count = (standing: keyof TaggedCrons) =>
    standings.filter((each) => each === standing).length;
  return { failing: count('failing'), healthy: count('healthy'), paused: count('paused') };
}
