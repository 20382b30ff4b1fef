import type { Database } from '../database/database.ts';
import { bindPrepared, preparedStatement } from '../database/prepared.ts';

/** A count of events within a window of fixed length. */
export interface CountingWindow {
  openedAt: number;
  /** The count of the window, including this event. */
  hits: number;
}

/** Counts one event, in a new window if the last one is over. Parameters: 1 the window's key, 2 now, 3 its length */
export function countInWindow(name: string, table: 'api_windows' | 'attempt_windows', key: string) {
  const statement = preparedStatement<{ opened_at: number; hits: number }>(name, ({ $ }) => {
    const isOver = `${table}.opened_at + ${$(3)} <= ${$(2)}`;
    return `
    insert into ${table} (${key}, opened_at, hits) values (${$(1)}, ${$(2)}, 1)
    on conflict (${key}) do update set
      hits = case when ${isOver} then 1 else ${table}.hits + 1 end,
      opened_at = case when ${isOver} then ${$(2)} else ${table}.opened_at end
    returning opened_at, hits`;
  });
  return async (db: Database, ...window: [key: string, now: number, lengthMs: number]) => {
    const [row] = await db.autocommit(bindPrepared(db.dialect, statement, window));
    return { openedAt: row?.opened_at ?? window[1], hits: row?.hits ?? 1 };
  };
}
