import type { CallbackSlots, TakenCallback } from '../callbacks/callbacks.ts';
import { preparedStatement } from '../database/prepared.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { TransactionScript } from '../database/transaction-script.ts';

/** ?1 node, ?2 team, ?3 slots. SQLite needs two statements a team: none can both delete and insert. */
const moveCallbacks = preparedStatement<{ id: string }>(
  'move-callbacks',
  (dialect) => `
  insert into callbacks_under_way (node_id, team_id, id, run_id, url, body, created_at)
  select ?1, team_id, id, run_id, url, body, created_at from callbacks
  where team_id = ?2 and exists (${livingNode(dialect, '?1')}) order by id limit ?3
  returning id`,
);

/** ?1 team, ?2 the last taken callback; the taken ones are the oldest */
const deleteMoved = preparedStatement<TakenCallback>(
  'delete-moved-callbacks',
  () => `
  delete from callbacks where team_id = ?1 and id <= ?2
  returning team_id, id, run_id, url, body, created_at, (select t.sealed_signing_secret from teams t where t.id = ?1) as sealed_signing_secret`,
);

export const takeCallbacks: TransactionScript<CallbackSlots, TakenCallback[]> = {
  name: 'take-callbacks',
  async run(runner, { nodeId, teams }) {
    const taken: TakenCallback[] = [];
    for (const { team_id, slots } of teams) {
      const moved = await runner.rows(moveCallbacks, [nodeId, team_id, slots]);
      const last = moved
        .map(({ id }) => id)
        .toSorted()
        .at(-1);
      if (last === undefined) continue;
      taken.push(...(await runner.rows(deleteMoved, [team_id, last])));
    }
    return taken;
  },
};
