import type { Acting } from '#work/acting';
import { createWork } from '#work/work';
import { aNode, aTeam } from './factories.ts';
import { openSqliteTestStore, type OpenTestStore } from './stores.ts';

export const ANYBODY: Acting = {
  doer: 'command-line',
  actor: 'Ada',
  may: () => true,
  log: { error: () => {} },
};

/** The work of everybody on a store with two teams and a node. The store is deleted with it. */
export async function openWork(openTestStore: OpenTestStore = openSqliteTestStore) {
  const store = await openTestStore();
  return {
    store,
    work: createWork({ store }),
    team: await aTeam(store),
    otherTeam: await aTeam(store),
    node: await aNode(store),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
