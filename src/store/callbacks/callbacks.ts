import { callbacks as callbacksTable } from '../tables/work.ts';
import { fieldsOf } from '../tables/table.ts';
import type { TeamSlots } from '../runs/team-slots.ts';
import { earliestIdAt } from '#domain/ids';
import { SecretReader } from '../runs/claims.ts';
import type { Database, Trx } from '../database/database.ts';
import { type Dialect, type Fields, packRows, type RowOf } from '../database/dialect.ts';
import type { ItemOwner } from '../database/group-commit.ts';
import { preparedStatement } from '../database/prepared.ts';
import { NodeGroups } from '../runs/node-groups.ts';
import { takeCallbacks as takeOnPostgres } from '../postgres/take-callbacks.ts';
import type { Row } from '../tables/tables.ts';
import type { Sealer } from '../database/seal.ts';
import { takeCallbacks as takeOnSqlite } from '../sqlite/take-callbacks.ts';
import { PartsReader } from '../runs/stored-parts.ts';
import { add, all, remove } from '../database/rows.ts';

/** A callback, recorded with the end of the run that it reports (§6.1). */
export interface CallbackToSend {
  teamId: string;
  id: string;
  runId: string;
  url: string;
  /** JSON text. */
  body: string;
  createdAt: number;
}

export interface ClaimedCallback extends CallbackToSend {
  signingSecret: string | null;
  /** Why the callback can't be signed; null where it can be. */
  unreadable: string | null;
}

export const CALLBACK = fieldsOf(callbacksTable.columns);

const COLUMNS = Object.keys(CALLBACK);

/** @param kept  a join that keeps only those rows of `given` that are to be written; empty for all */
export function insertCallbacksOf(dialect: Dialect, parameter: number, kept = ''): string {
  return `
  insert into callbacks (${COLUMNS.join(', ')})
  select ${COLUMNS.map((name) => `given.${name}`).join(', ')}
  from ${dialect.rows(CALLBACK, parameter)} ${kept}`;
}

export const insertCallbackRows = preparedStatement<never>('insert-callbacks', (dialect) =>
  insertCallbacksOf(dialect, 1),
);

export async function insertCallbacks(
  trx: Trx,
  callbacks: readonly CallbackToSend[],
): Promise<void> {
  if (callbacks.length === 0) return;
  await trx.rows(insertCallbackRows, [packRows(CALLBACK, callbacks.map(callbackRow))]);
}

export function callbackRow(callback: CallbackToSend): RowOf<typeof CALLBACK> {
  return {
    team_id: callback.teamId,
    id: callback.id,
    run_id: callback.runId,
    url: callback.url,
    body: callback.body,
    created_at: callback.createdAt,
  };
}

/** A taken row, with the team's sealed signing secret. */
export type TakenCallback = Row<'callbacks'> & { sealed_signing_secret: string | null };

/** How many callbacks of each team a node takes at most. */
export interface CallbackSlots {
  nodeId: string;
  teams: readonly TeamSlots[];
}

/**
 * Takes callbacks of teams for a node to send, the oldest of each team first. They are the node's until it has sent
 * them or is declared dead, and no other node can take them. A dead node gets none.
 */
const TAKE = { postgres: takeOnPostgres, sqlite: takeOnSqlite };

const OF_NODE = { node_id: 'id', team_id: 'id', id: 'id' } as const satisfies Fields;

const deleteSent = preparedStatement<never>('delete-sent-callbacks', (dialect) =>
  dialect.deleteGiven('callbacks_under_way', OF_NODE, 1, 'briefly'),
);

const findWaiting = preparedStatement<{ team_id: string }>(
  'scan-callback-teams',
  () => `
  select t.id as team_id from teams t where t.deleted_at is null
    and (select c.id from callbacks c where c.team_id = t.id order by c.id limit 1) is not null`,
);

/**
 * The callbacks of jobs and executions (§6.1): recorded with the run's end, claimed, sent and deleted. Callbacks that a
 * node has taken are in a table of their own. Only callbacks of a node that died while sending are given up, since
 * they may have been sent.
 */
export class CallbackStore {
  readonly #db: Database;
  readonly #secrets: SecretReader;
  readonly #ending = new NodeGroups<ClaimedCallback, null>(
    ({ teamId }) => teamId,
    (nodeId, sent) => this.#end(nodeId, sent),
  );

  constructor(db: Database, sealer: Sealer) {
    this.#db = db;
    this.#secrets = new SecretReader(sealer);
  }

  /** The teams with waiting callbacks. Costs one index step per team. */
  async scanWaiting(): Promise<string[]> {
    const rows = await this.#db.read(findWaiting, []);
    return rows.map(({ team_id }) => team_id);
  }

  /** Takes callbacks for a node to send. No callback is taken twice. */
  async take(
    nodeId: string,
    asked: readonly { teamId: string; slots: number }[],
  ): Promise<ClaimedCallback[]> {
    const teams = asked.map(({ teamId, slots }) => ({ team_id: teamId, slots }));
    const rows = await this.#db.perform(TAKE, { nodeId, teams });
    return rows
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => {
        const reader = new PartsReader();
        return {
          teamId: row.team_id,
          id: row.id,
          runId: row.run_id,
          url: row.url,
          body: row.body,
          createdAt: row.created_at,
          signingSecret: reader.readSecret(this.#secrets, row.sealed_signing_secret),
          unreadable: reader.unreadable,
        };
      });
  }

  /** Deletes a callback that the node has sent. */
  async end(nodeId: string, sent: ClaimedCallback): Promise<void> {
    await this.#ending.add(nodeId, sent);
  }

  /** Like `end`, without a promise. */
  putEnd(nodeId: string, sent: ClaimedCallback, owner: ItemOwner<null>): void {
    this.#ending.put(nodeId, sent, owner);
  }

  /**
   * Whether a run's callback is recorded and not taken yet. Its id was made at the run's end, so the search is a short
   * range of the key, however many callbacks wait.
   */
  async isWaiting(teamId: string, runId: string, completedAt: number): Promise<boolean> {
    const row = await this.#db.read((db) =>
      db
        .selectFrom('callbacks')
        .select('id')
        .where('team_id', '=', teamId)
        .where('id', '>=', earliestIdAt(completedAt))
        .where('id', '<', earliestIdAt(completedAt + 1))
        .where('run_id', '=', runId)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  async #end(nodeId: string, sent: readonly ClaimedCallback[]): Promise<null[]> {
    const rows = sent.map(({ teamId, id }) => ({ node_id: nodeId, team_id: teamId, id }));
    await this.#db.transact((trx) => trx.rows(deleteSent, [packRows(OF_NODE, rows)]));
    return sent.map(() => null);
  }
}

/** Deletes callbacks that dead nodes may have sent. */
export async function dropCallbacksUnderWay(trx: Trx, nodeIds: readonly string[]): Promise<void> {
  await remove(trx, 'callbacks_under_way', { node_id: nodeIds });
}

/** Puts back callbacks that a node has claimed without knowing it, because the answer to its claim was lost. */
export async function returnCallbacks(trx: Trx, nodeId: string, known: ReadonlySet<string>) {
  const taken = await all(trx, 'callbacks_under_way', { node_id: nodeId });
  const returned = [];
  for (const { node_id: _, ...callback } of taken.filter(({ id }) => !known.has(id))) {
    const gone = await trx
      .deleteFrom('callbacks_under_way')
      .where('node_id', '=', nodeId)
      .where('team_id', '=', callback.team_id)
      .where('id', '=', callback.id)
      .returning('id')
      .execute();
    // It was sent and deleted since it was read, so it must not wait again.
    if (gone.length === 0) continue;
    await add(trx, 'callbacks', callback);
    returned.push(callback);
  }
  return returned;
}
