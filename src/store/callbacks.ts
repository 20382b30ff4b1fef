import { earliestIdAt } from '#domain/ids';
import { sql } from 'kysely';
import type { SecretReader } from './claims.ts';
import type { Database, Trx } from './database.ts';
import { type DialectName, type Fields, packRows, type RowOf, unpackRows } from './dialect.ts';
import { bindHot, hotStatement, runHot } from './hot.ts';
import { holdNode, livingNode } from './living-node.ts';
import type { CallbacksTable } from './schema.ts';
import { PartsReader } from './stored-parts.ts';

/** A callback as recorded with the outcome that it tells of (§6.1). */
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
  /** Why it can't be signed; null where it can be sent. */
  unreadable: string | null;
}

export const CALLBACK = {
  team_id: 'id',
  id: 'id',
  run_id: 'id',
  url: 'text',
  body: 'text',
  created_at: 'bigint',
} as const satisfies Fields;

export const insertCallbackRows = hotStatement<never>(
  'insert-callbacks',
  (dialect) => `
  insert into callbacks (team_id, id, run_id, url, body, created_at)
  select team_id, id, run_id, url, body, created_at from ${unpackRows(dialect, CALLBACK, 1)}`,
);

export async function insertCallbacks(
  trx: Trx,
  dialect: DialectName,
  callbacks: readonly CallbackToSend[],
): Promise<void> {
  if (callbacks.length === 0) return;
  await runHot(trx, dialect, insertCallbackRows, [packRows(CALLBACK, callbacks.map(callbackRow))]);
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

type Taken = CallbacksTable & { sealed_signing_secret: string | null };

/**
 * $1 node, $2 team, $3 seats. Those to take are chosen once, in a part that stands by itself: as a part of a join
 * the choice could be made again for each row.
 */
const takeAtOnce = hotStatement<Taken>(
  'take-callbacks',
  (dialect) => `
  with living as materialized (
    ${livingNode(dialect, '$1')}
  ), chosen as materialized (
    select id from callbacks where team_id = $2 and exists (select 1 from living)
    order by id limit $3 for update skip locked
  ), taken as (
    delete from callbacks where team_id = $2 and id = any(array(select id from chosen))
    returning *
  ), moved as (
    insert into callbacks_under_way (node_id, team_id, id, run_id, url, body, created_at)
    select $1::uuid, team_id, id, run_id, url, body, created_at from taken
  )
  select taken.*, t.sealed_signing_secret from taken left join teams t on t.id = $2`,
);

/** How many of a team's callbacks a node takes, at the most. */
export interface CallbackSeats {
  nodeId: string;
  teamId: string;
  seats: number;
}

/**
 * Takes a team's callbacks for a node to send, oldest first. They are the node's until it has sent them or is
 * declared dead, and nobody else can take them meanwhile; a dead node gets none.
 */
export async function takeCallbacks(
  { db, secrets }: { db: Database; secrets: SecretReader },
  asked: CallbackSeats,
): Promise<ClaimedCallback[]> {
  const rows =
    db.dialect === 'postgres'
      ? await db.runAlone(
          bindHot(db.dialect, takeAtOnce, [asked.nodeId, asked.teamId, asked.seats]),
        )
      : await db.transact((trx) => takeInTransaction(trx, db.dialect, asked));
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
        signingSecret: reader.readSecret(secrets, row.sealed_signing_secret),
        unreadable: reader.unreadable,
      };
    });
}

/** SQLite has no statement that deletes and inserts. */
async function takeInTransaction(
  trx: Trx,
  dialect: DialectName,
  { nodeId, teamId, seats }: CallbackSeats,
): Promise<Taken[]> {
  if (!(await holdNode(trx, dialect, nodeId))) return [];
  const rows = await trx
    .deleteFrom('callbacks')
    .where('team_id', '=', teamId)
    .where(
      'id',
      'in',
      sql<string>`(select id from callbacks where team_id = ${teamId} order by id limit ${seats})`,
    )
    .returningAll()
    .execute();
  if (rows.length === 0) return [];
  const underWay = rows.map((row) => ({ ...row, node_id: nodeId }));
  await trx.insertInto('callbacks_under_way').values(underWay).execute();
  const team = await trx
    .selectFrom('teams')
    .select('sealed_signing_secret')
    .where('id', '=', teamId)
    .executeTakeFirst();
  const sealed = team?.sealed_signing_secret ?? null;
  return rows.map((row) => Object.assign(row, { sealed_signing_secret: sealed }));
}

/**
 * Whether a run's callback is recorded and not taken yet. Its id was made at the run's end, so this is a
 * short range of the key, however many wait.
 */
export async function isCallbackWaiting(
  db: Database,
  teamId: string,
  runId: string,
  completedAt: number,
): Promise<boolean> {
  const row = await db.read((reader) =>
    reader
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
