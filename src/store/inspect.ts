import type { Clock } from '#domain/base/clock';
import { StoreError } from './database/errors.ts';
import type { Inspection } from './database/inspection.ts';
import { explainRefusal } from './postgres/explain.ts';
import { inspectPostgres } from './postgres/inspect.ts';
import { ACCESS_REMEDY } from './sqlite/file-access.ts';
import { inspectSqliteFile } from './sqlite/inspect.ts';
import type { StoreLocation } from './store.ts';

/** Nothing is made, migrated or changed. Never rejects. */
export async function inspectDatabase(location: StoreLocation, clock: Clock): Promise<Inspection> {
  try {
    if (location.kind === 'sqlite') return await inspectSqliteFile(location.path, clock.now());
    if (location.kind === 'sqlite-memory') return { kind: 'not-made-yet' };
    return await inspectPostgres(location, clock);
  } catch (error) {
    return { kind: 'unreachable', reason: explain(location, error) };
  }
}

function explain({ kind }: StoreLocation, error: unknown): string {
  // Such as for a database from before the first release.
  if (error instanceof StoreError) return error.message;
  const { message = '', code = 'unknown', errcode } = error as Fault;
  const refusal = kind === 'postgres' ? explainRefusal(error) : null;
  if (refusal !== null) return refusal;
  if (errcode === undefined) return message || code;
  const fault = StoreError.fromSqlite({ message, errcode });
  if (fault.code === 'STORE_READ_ONLY') return `${message}; ${ACCESS_REMEDY}`;
  const isDamaged = fault.code === 'STORE_DAMAGED';
  return isDamaged ? `damaged, or no SQLite database (${message}); restore a backup` : message;
}

interface Fault {
  message?: string;
  code?: string;
  /** SQLite's extended result code. */
  errcode?: number;
}
