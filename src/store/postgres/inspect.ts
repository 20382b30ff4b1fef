import type pg from 'pg';
import type { Clock } from '#domain/base/clock';
import type { Inspection } from '../database/inspection.ts';
import { inspectTables } from '../database/inspect-tables.ts';
import { findOldSnapshots } from '../figures/snapshots.ts';
import { coveredMs, findSpans } from '../retention/partitions.ts';
import { inspectSize } from '../retention/history-size.ts';
import { isPooledByTransaction, makeClient, TRANSACTION_POOLING } from './pooling.ts';
import { postgres } from '../sql/postgres.ts';

/** Rejects if the server can't be reached. */
export async function inspectPostgres(
  { url, schema }: { url: string; schema?: string },
  clock: Clock,
): Promise<Inspection> {
  if (await isPooledByTransaction(url)) {
    return { kind: 'unreachable', reason: TRANSACTION_POOLING };
  }
  const client = makeClient(url, 'doctor');
  try {
    await client.connect();
    if (schema !== undefined) await client.query(`set search_path = "${schema}"`);
    const clockOffsetMs = await readClockOffset(client, clock);
    const now = clock.now() + clockOffsetMs;
    const ask = async (text: string, ...parameters: number[]) =>
      (await client.query<Record<string, unknown>>(text, parameters)).rows;
    const { isEmpty, ...ofTables } = await inspectTables(ask, postgres, now);
    return {
      kind: 'found',
      ...ofTables,
      writeFault: await findWriteFault(client),
      damage: null,
      clockOffsetMs,
      engines: isEmpty ? 0 : await countEngines(client),
      server: await readServerSettings(client),
      oldSnapshots: await findOldSnapshots(ask),
      partitionsAheadMs: isEmpty ? null : coveredMs(await findSpans(ask), now),
      size: isEmpty ? null : await inspectSize(ask, postgres, now),
    };
  } finally {
    // The server may have stopped answering.
    void client.end().catch(() => {});
  }
}

/** A dead node's row stays until another engine deletes it. */
async function countEngines(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    'select from nodes where lease_until > extract(epoch from clock_timestamp()) * 1000',
  );
  return rows.length;
}

async function readServerSettings(client: pg.Client) {
  const { rows } = await client.query<{ synchronous_commit: string; autovacuum: string }>(
    `select current_setting('synchronous_commit') as synchronous_commit,
      current_setting('autovacuum') as autovacuum`,
  );
  const { synchronous_commit: synchronousCommit = '', autovacuum = '' } = rows[0] ?? {};
  return { synchronousCommit, autovacuum };
}

async function findWriteFault(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ read_only: string; may_create: boolean }>(
    `select current_setting('transaction_read_only') as read_only,
      case when current_schema() is null
        then has_database_privilege(current_database(), 'create')
        else has_schema_privilege(current_schema(), 'create') end as may_create`,
  );
  if (rows[0]?.read_only === 'on') return 'it takes no writes (a standby, or set to read-only)';
  return rows[0]?.may_create === true ? null : 'this user may not make tables in its schema';
}

async function readClockOffset(client: pg.Client, clock: Clock): Promise<number> {
  const askedAt = clock.monotonicMs();
  const { rows } = await client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::double precision * 1000 as now',
  );
  const wayMs = (clock.monotonicMs() - askedAt) / 2;
  return Math.round((rows[0]?.now ?? 0) - (clock.now() - wayMs));
}
