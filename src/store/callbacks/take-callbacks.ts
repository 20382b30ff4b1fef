import { packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { ScriptByDialect } from '../database/transaction-script.ts';
import { livingNode } from '../nodes/living-node.ts';
import { TEAM_SLOTS, type TeamSlots } from '../runs/run-tables.ts';
import type { Row } from '../tables/tables.ts';

type TakenCallback = Row<'callbacks'> & { sealed_signing_secret: string | null };

interface CallbackSlots {
  nodeId: string;
  teams: readonly TeamSlots[];
}

/** $1 `TEAM_SLOTS`, $2 node. A part of its own runs once; inside a join the choice could be repeated. */
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

/** ?1 node, ?2 team, ?3 slots. No statement of SQLite both deletes and inserts. */
const move = preparedStatement<{ id: string }>(
  'move-callbacks',
  (dialect) => `
  insert into callbacks_under_way (node_id, team_id, id, run_id, url, body, created_at)
  select ?1, team_id, id, run_id, url, body, created_at from callbacks
  where team_id = ?2 and exists (${livingNode(dialect, '?1')}) order by id limit ?3
  returning id`,
);

/** ?1 team, ?2 the last taken callback; taken ones are the oldest */
const deleteMoved = preparedStatement<TakenCallback>(
  'delete-moved-callbacks',
  () => `
  delete from callbacks where team_id = ?1 and id <= ?2
  returning team_id, id, run_id, url, body, created_at,
    (select t.sealed_signing_secret from teams t where t.id = ?1) as sealed_signing_secret`,
);

/** The oldest of each team first. They belong to the node until it has sent them or is declared dead. */
export const TAKE_CALLBACKS: ScriptByDialect<CallbackSlots, TakenCallback[]> = {
  postgres: {
    name: 'take-callbacks',
    isOneStatement: true,
    run: (runner, { nodeId, teams }) =>
      runner.rows(takeAtOnce, [packRows(TEAM_SLOTS, teams), nodeId]),
  },
  sqlite: {
    name: 'take-callbacks',
    async run(runner, { nodeId, teams }) {
      const taken: TakenCallback[] = [];
      for (const { team_id, slots } of teams) {
        const moved = await runner.rows(move, [nodeId, team_id, slots]);
        const [last] = moved.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1));
        if (last !== undefined) taken.push(...(await runner.rows(deleteMoved, [team_id, last])));
      }
      return taken;
    },
  },
};
