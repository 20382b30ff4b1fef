import { callbacks as callbacksTable } from '../tables/work.ts';
import { fieldsOf } from '../tables/table.ts';
import { earliestIdAt } from '#domain/ids';
import { SecretReader } from '../runs/claims.ts';
import type { Trx } from '../database/database.ts';
import type { Context } from '../database/context.ts';
import { type Dialect, type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import { nodeGroups } from '../runs/node-groups.ts';
import { TAKE_CALLBACKS } from './take-callbacks.ts';
import type { Row } from '../tables/tables.ts';
import { PartsReader } from '../runs/stored-parts.ts';
import { add, all, one, remove, within } from '../database/rows.ts';

/** Recorded with the end of the run that it reports (§6.1). JSON text. */
export type CallbackToSend = RecordOf<Row<'callbacks'>>;

export interface ClaimedCallback extends CallbackToSend {
  signingSecret: string | null;
  unreadable: string | null;
}

export const CALLBACK = fieldsOf(callbacksTable.columns);

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

const OF_NODE = { node_id: 'id', team_id: 'id', id: 'id' } as const satisfies Fields;

const deleteSent = preparedStatement<never>('delete-sent-callbacks', (dialect) =>
  dialect.deleteGiven('callbacks_under_way', OF_NODE, 1, 'limited'),
);

const findWaiting = preparedStatement<{ team_id: string }>(
  'scan-callback-teams',
  () => `
  select t.id as team_id from teams t where t.deleted_at is null
    and (select c.id from callbacks c where c.team_id = t.id order by c.id limit 1) is not null`,
);

/** §6.1 */
export function callbacks({ main: db, sealer }: Context) {
  const secrets = new SecretReader(sealer);
  const ending = nodeGroups<ClaimedCallback, null>(
    ({ teamId }) => teamId,
    async (nodeId, sent) => {
      const rows = sent.map(({ teamId, id }) => ({ node_id: nodeId, team_id: teamId, id }));
      await db.transact((trx) => trx.rows(deleteSent, [packRows(OF_NODE, rows)]));
      return sent.map(() => null);
    },
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
      const rows = await db.perform(TAKE_CALLBACKS, { nodeId, teams });
      return rows
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ sealed_signing_secret, ...row }) => {
          const reader = new PartsReader();
          const signingSecret = reader.readSecret(secrets, sealed_signing_secret);
          return Object.assign(toRecord(row), { signingSecret, unreadable: reader.unreadable });
        });
    },

    async end(nodeId: string, sent: ClaimedCallback): Promise<void> {
      await ending.add(nodeId, sent);
    },

    putEnd: ending.put,

    /** Recorded and not taken yet. The id was made at the run's end, so the search is a short range. */
    async isWaiting(teamId: string, runId: string, completedAt: number): Promise<boolean> {
      const id = within(earliestIdAt(completedAt), earliestIdAt(completedAt + 1));
      return (
        (await one(db, 'callbacks', { team_id: teamId, id, run_id: runId }, ['id'])) !== undefined
      );
    },
  };
}

/** Not sent again, because the dead nodes may have sent them. */
export async function dropCallbacksUnderWay(trx: Trx, nodeIds: readonly string[]): Promise<void> {
  await remove(trx, 'callbacks_under_way', { node_id: nodeIds });
}

/** Of a claim whose answer was lost. */
export async function returnCallbacks(trx: Trx, nodeId: string, known: ReadonlySet<string>) {
  const taken = await all(trx, 'callbacks_under_way', { node_id: nodeId });
  const returned = [];
  for (const { node_id: _, ...callback } of taken.filter(({ id }) => !known.has(id))) {
    const { team_id, id } = callback;
    const removed = await remove(trx, 'callbacks_under_way', { node_id: nodeId, team_id, id });
    // Sent and deleted since it was read.
    if (removed === 0) continue;
    await add(trx, 'callbacks', callback);
    returned.push(callback);
  }
  return returned;
}
