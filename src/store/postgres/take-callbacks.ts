import type { CallbackSlots, TakenCallback } from '../callbacks/callbacks.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { TransactionScript } from '../database/transaction-script.ts';

/**
 * $1 node, $2 team, $3 slots. The callbacks are chosen in a part of their own, which runs once; inside a join the
 * choice could be repeated for each row.
 */
const takeAtOnce = preparedStatement<TakenCallback>(
  'take-callbacks',
  (dialect) => `
  with living as materialized (
    ${livingNode(dialect, '$1')}
  ), chosen as materialized (
    select id from callbacks where team_id = $2 and exists (select 1 from living)
    order by id limit $3 for update skip locked
  ), taken as (
    delete from callbacks where team_id = $2 and id = any(array(select id from chosen))
    returning team_id, id, run_id, url, body, created_at
  ), moved as (
    insert into callbacks_under_way (node_id, team_id, id, run_id, url, body, created_at)
    select $1::uuid, team_id, id, run_id, url, body, created_at from taken
  )
  select taken.*, t.sealed_signing_secret from taken left join teams t on t.id = $2`,
);

export const takeCallbacks: TransactionScript<CallbackSlots, TakenCallback[]> = {
  name: 'take-callbacks',
  isOneStatement: true,
  run: (runner, dialect, { nodeId, teamId, slots }) =>
    runPrepared(runner, dialect, takeAtOnce, [nodeId, teamId, slots]),
};
