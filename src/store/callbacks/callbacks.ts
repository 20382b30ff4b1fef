import { callbacks as callbacksTable } from '../tables/work.ts';
import { fieldsOf } from '../tables/table.ts';
import { earliestIdAt } from '#domain/base/ids';
import { SecretReader } from '../runs/claims.ts';
import type { Trx } from '../database/database.ts';
import type { Context } from '../database/context.ts';
import { type Dialect, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import { GroupCommit, type ItemOwner } from '../database/group-commit.ts';
import { KEY, TEAM_SLOTS } from '../runs/run-tables.ts';
import { livingNode } from '../nodes/living-node.ts';
import type { Row } from '../tables/tables.ts';
import { PartsReader } from '../runs/stored-parts.ts';
import { all, change, one, remove, within } from '../database/rows.ts';

/** Recorded with the end of the run that it reports (§6.1). JSON text. */
export type CallbackToSend = RecordOf<Omit<Row<'callbacks'>, 'node_id'>>;

export interface ClaimedCallback extends CallbackToSend {
  signingSecret: string | null;
  unreadable: string | null;
}

export const CALLBACK = fieldsOf(callbacksTable.columns, 'node_id');

const COLUMNS = Object.keys(CALLBACK);

/** @param kept a join that keeps the rows of `given` to write; empty for all */
export function insertCallbacksOf(dialect: Dialect, parameter: number, kept = ''): string {
  return `
  insert into callbacks (${COLUMNS.join(', ')})
  select ${COLUMNS.map((name) => `given.${name}`).join(', ')}
  from ${dialect.rows(CALLBACK, parameter)} ${kept}`;
}

export const insertCallbackRows = preparedStatement<never>('insert-callbacks', (dialect) =>
  insertCallbacksOf(dialect, 1),
);

type TakenCallback = Omit<Row<'callbacks'>, 'node_id'> & { sealed_signing_secret: string | null };

/**
 * The oldest of each team. They belong to the node until it has sent them or is declared dead.
 *
 * $1 `TEAM_SLOTS`, $2 node, $3 most slots of a team
 */
const takeCallbacks = preparedStatement<TakenCallback>(
  'take-callbacks',
  (dialect) => `
  with living as materialized (
    ${livingNode(dialect, dialect.$(2))}
  ), waiting as materialized (
    select c.team_id, c.id, given.slots, row_number() over (partition by c.team_id order by c.id) as place
    from ${dialect.rows(TEAM_SLOTS, 1)} ${dialect.joinPicked({
      table: 'callbacks',
      as: 'c',
      columns: ['team_id', 'id'],
      pick: (columns) => `
      select ${columns} from callbacks x where x.team_id = given.team_id and x.node_id is null
      order by x.id limit ${dialect.$(3)} ${dialect.lock('for update skip locked')}`,
    })}
  )
  update callbacks set node_id = ${dialect.$(2, 'id')}
  from (select team_id, id from waiting where place <= slots and exists (select 1 from living)) as free
  where ${dialect.hasKeyOf('callbacks', 'free')}
  returning ${COLUMNS.map((name) => `callbacks.${name}`).join(', ')},
    (select t.sealed_signing_secret from teams t where t.id = callbacks.team_id) as sealed_signing_secret`,
);

const deleteSent = preparedStatement<never>('delete-sent-callbacks', (dialect) =>
  dialect.deleteGiven('callbacks', KEY, 1, 'limited'),
);

const findWaiting = preparedStatement<{ team_id: string }>(
  'scan-callback-teams',
  () => `
  select t.id as team_id from teams t where t.deleted_at is null
    and (select c.id from callbacks c where c.team_id = t.id and c.node_id is null
      order by c.id limit 1) is not null`,
);

const MAX_BATCH = 200;

/** §6.1 */
export function callbacks({ main: db, sealer }: Context) {
  const secrets = new SecretReader(sealer);
  const ending = new GroupCommit(
    async (sent: readonly ClaimedCallback[]) => {
      const keys = sent.map(({ teamId, id }) => ({ team_id: teamId, id }));
      await db.rows(deleteSent, [packRows(KEY, keys)]);
      return sent.map(() => null);
    },
    { maxBatch: MAX_BATCH, teamOf: ({ teamId }) => teamId },
  );
  return {
    /** One index step per team. */
    async scanWaiting(): Promise<string[]> {
      const rows = await db.read(findWaiting, []);
      return rows.map(({ team_id }) => team_id);
    },

    async take(
      nodeId: string,
      asked: readonly { teamId: string; slots: number }[],
    ): Promise<ClaimedCallback[]> {
      const teams = asked.map(({ teamId, slots }) => ({ team_id: teamId, slots }));
      const most = Math.max(...asked.map(({ slots }) => slots));
      const rows = await db.rows(takeCallbacks, [packRows(TEAM_SLOTS, teams), nodeId, most]);
      return rows
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ sealed_signing_secret, ...row }) => {
          const reader = new PartsReader();
          const signingSecret = reader.readSecret(secrets, sealed_signing_secret);
          return Object.assign(toRecord(row), { signingSecret, unreadable: reader.unreadable });
        });
    },

    async end(sent: ClaimedCallback): Promise<void> {
      await ending.add(sent);
    },

    /** As `end`, but calls the owner instead of returning a promise. */
    putEnd: (sent: ClaimedCallback, owner: ItemOwner<null>): void => ending.put(sent, owner),

    /** Recorded and not taken yet. The id was made at the run's end, so the search is a short range. */
    async isWaiting(teamId: string, runId: string, completedAt: number): Promise<boolean> {
      const id = within(earliestIdAt(completedAt), earliestIdAt(completedAt + 1));
      const waiting = { team_id: teamId, id, run_id: runId, node_id: null };
      return (await one(db, 'callbacks', waiting, ['id'])) !== undefined;
    },
  };
}

/** Not sent again, because the dead nodes may have sent them. */
export async function dropTakenCallbacks(trx: Trx, nodeIds: readonly string[]): Promise<void> {
  await remove(trx, 'callbacks', { node_id: nodeIds });
}

/** Of a claim whose answer was lost. */
export async function returnCallbacks(trx: Trx, nodeId: string, known: ReadonlySet<string>) {
  const ofNode = { node_id: nodeId };
  const taken = await all(trx, 'callbacks', ofNode, { columns: ['team_id', 'id'] });
  const returned = [];
  for (const key of taken.filter(({ id }) => !known.has(id))) {
    // None if it was sent and deleted since it was read.
    const changed = await change(trx, 'callbacks', { ...ofNode, ...key }, { node_id: null });
    if (changed > 0) returned.push(key);
  }
  return returned;
}
