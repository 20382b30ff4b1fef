import type { Clock } from '#domain/clock';
import type { Inspection } from './inspection.ts';
import { inspectPostgres } from './postgres/inspect.ts';
import { inspectSqliteFile } from './sqlite/inspect.ts';
import type { StoreLocation } from './store.ts';

/** Looks at a database without opening it as a store does: nothing is made, migrated or changed. Never rejects. */
export async function inspectDatabase(location: StoreLocation, clock: Clock): Promise<Inspection> {
  try {
    if (location.kind === 'sqlite') return inspectSqliteFile(location.path);
    if (location.kind === 'sqlite-memory') return { kind: 'not-made-yet' };
    return await inspectPostgres(location.url, clock);
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    return { kind: 'unreachable', reason: message || (code ?? 'unknown') };
  }
}
