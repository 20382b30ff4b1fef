import type { Database } from '../database/database.ts';
import { type Fields, packRows } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';

/** A count of events within a window of fixed length. */
export interface CountingWindow {
  openedAt: number;
  /** The count of the window, including this event. */
  hits: number;
}

const HITS = { key: 'text', hits: 'int' } as const satisfies Fields;

/**
 * Makes a function that counts events, one for each given key, and returns the window of each event. An event opens a
 * new window if the last one of its key has ended.
 */
export function countInWindows(
  name: string,
  table: 'api_windows' | 'attempt_windows',
  key: string,
) {
  // Parameters: 1 keys with their hits, 2 now, 3 the length of a window
  const statement = preparedStatement<{ key: string; opened_at: number; hits: number }>(
    name,
    ({ $, rows }) => {
      const isOver = `${table}.opened_at + ${$(3)} <= ${$(2, 'bigint')}`;
      return `
    insert into ${table} (${key}, opened_at, hits)
    select key, ${$(2, 'bigint')}, hits from ${rows(HITS, 1)} where true
    on conflict (${key}) do update set
      hits = case when ${isOver} then 0 else ${table}.hits end + excluded.hits,
      opened_at = case when ${isOver} then excluded.opened_at else ${table}.opened_at end
    returning ${key} as key, opened_at, hits`;
    },
  );
  return async (
    db: Database,
    keys: readonly string[],
    now: number,
    lengthMs: number,
  ): Promise<CountingWindow[]> => {
    // In one order, so that two nodes that count the same keys don't deadlock.
    const counts = [...Map.groupBy(keys.toSorted(), (each) => each)].map(([each, { length }]) => {
      return { key: each, hits: length };
    });
    const parameters = [packRows(HITS, counts), now, lengthMs];
    const rows = await db.rows(statement, parameters);
    const windows = new Map(rows.map((row) => [row.key, row]));
    for (const { key: each, hits } of counts) {
      const window = windows.get(each);
      if (window) window.hits -= hits;
    }
    return keys.map((each) => {
      const window = windows.get(each);
      if (!window) return { openedAt: now, hits: 1 };
      return { openedAt: window.opened_at, hits: ++window.hits };
    });
  };
}
