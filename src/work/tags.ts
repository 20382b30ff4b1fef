import type { Store } from '#store/store';

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
  };
}
