import { earliestIdAt } from '#domain/ids';
import { sql } from 'kysely';
import type { SecretReader } from './claims.ts';
import type { Database, Trx } from './database.ts';
import {
  type DialectName,
  type Fields,
  isAmongFree,
  packRows,
  type RowOf,
  unpackRows,
} from './dialect.ts';
import { hotStatement, runHot } from './hot.ts';

/** A callback as recorded with the outcome that it tells of (D31). */
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

/**
 * Takes a team's callbacks out of the store for sending, oldest first. Taking is deleting: whoever took one is the
 * only one who may send it, once, whatever happens afterwards (§6.1).
 */
export async function takeCallbacks(
  { db, secrets }: { db: Database; secrets: SecretReader },
  teamId: string,
  seats: number,
): Promise<ClaimedCallback[]> {
  return db.transact(async (trx) => {
    const rows = await trx
      .deleteFrom('callbacks')
      .where('team_id', '=', teamId)
      .where(
        isAmongFree(
          db.dialect,
          sql`select id from callbacks where team_id = ${teamId} order by id limit ${seats}`,
        ),
      )
      .returningAll()
      .execute();
    if (rows.length === 0) return [];
    const team = await trx
      .selectFrom('teams')
      .select('sealed_signing_secret')
      .where('id', '=', teamId)
      .executeTakeFirst();
    const signingSecret = secrets.open(team?.sealed_signing_secret ?? null);
    return rows
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => ({
        teamId,
        id: row.id,
        runId: row.run_id,
        url: row.url,
        body: row.body,
        createdAt: row.created_at,
        signingSecret,
      }));
  });
}

/**
 * Whether a run's callback is recorded and not given out yet. Its id was made at the run's end, so this is a
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
