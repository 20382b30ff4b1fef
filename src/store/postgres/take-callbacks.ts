import type { CallbackSlots, TakenCallback } from '../callbacks/callbacks.ts';
import { TEAM_SLOTS } from '../runs/team-slots.ts';
import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { TransactionScript } from '../database/transaction-script.ts';

/**
 * $1 rows of `TEAM_SLOTS`, $2 node. The callbacks are chosen in a part of their own, which runs once; inside a join the
 * choice could be repeated for each row.
 */
const takeAtOnce = preparedStatement<TakenCallback>(
  'take-callbacks',
  (dialect) => `
  with living as materialized (
    ${livingNode(dialect, '$2')}
  ), chosen as materialized (
    select c.team_id, c.id from ${dialect.rows(TEAM_SLOTS, 1)} cross join lateral (
      select x.team_id, x.id from callbacks x where x.team_id = given.team_id
      order by x.id limit given.slots for update skip locked
    ) c where exists (select 1 from living)
  ), taken as (
    delete from callbacks using chosen where ${dialect.hasKeyOf('callbacks', 'chosen')}
    returning callbacks.team_id, callbacks.id, run_id, url, body, created_at
  ), moved as (
    insert into callbacks_under_way (node_id, team_id, id, run_id, url, body, created_at)
    select $2::uuid, team_id, id, run_id, url, body, created_at from taken
  )
  select taken.*, t.sealed_signing_secret from taken left join teams t on t.id = taken.team_id`,
);

export const takeCallbacks: TransactionScript<CallbackSlots, TakenCallback[]> = {
  name: 'take-callbacks',
  isOneStatement: true,
  run: (runner, { nodeId, teams }) =>
    runner.rows(takeAtOnce, [packRows(TEAM_SLOTS, teams), nodeId]),
};
