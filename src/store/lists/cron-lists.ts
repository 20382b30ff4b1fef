import { sql } from '../database/sql.ts';
import type { Database } from '../database/database.ts';
import { all, atLeast, count, within } from '../database/rows.ts';
import { containsText } from './sources.ts';

interface FoundCron {
  id: string;
  name: string;
  isActive: boolean;
}

/** Every word occurs. By similarity: equal names, names that begin with the words, names that contain them. */
export async function findCrons(
  db: Database,
  teamId: string,
  words: readonly string[],
  limit: number,
): Promise<FoundCron[]> {
  const typed = sql`lower(${words.join(' ')})`;
  const name = sql`lower(cast(name as text))`;
  const distance = sql<number>`case when ${name} = ${typed} then 0
    when substr(${name}, 1, length(${typed})) = ${typed} then 1
    when ${db.dialect.contains(name, typed)} then 2 else 3 end`;
  const where = words.map((word) => containsText(db, 'cron', word));
  const columns = ['id', 'name', 'is_active'] as const;
  const choice = { columns, where, order: [distance, 'name', 'id'] as const, limit };
  const rows = await all(db, 'crons', { team_id: teamId }, choice);
  return rows.map((row) => ({ id: row.id, name: row.name, isActive: row.is_active === 1 }));
}

export interface EndedRun {
  completedAt: number;
  durationMs: number;
  status: 'success' | 'failed';
}

export const MOST_SAMPLED = 10_000;

/** Newest first, `MOST_SAMPLED` at most. */
export async function sampleRuns(
  db: Database,
  teamId: string,
  cronId: string,
  { firstId, from, to }: { firstId: string; from: number; to: number },
): Promise<EndedRun[]> {
  const id = atLeast(firstId);
  const key = { cron_id: cronId, team_id: teamId, id, completed_at: within(from, to) };
  const columns = ['completed_at', 'duration_ms', 'status'] as const;
  const choice = { columns, order: ['id desc'] as const, limit: MOST_SAMPLED };
  const rows = await all(db, 'ended_executions', key, choice);
  return rows.flatMap(({ completed_at, duration_ms, status }) =>
    duration_ms === null ? [] : [{ completedAt: completed_at, durationMs: duration_ms, status }],
  );
}

export async function countExecutions(
  db: Database,
  teamId: string,
  cronId: string,
  most: number,
): Promise<{ unfinished: number; finished: number }> {
  const key = { team_id: teamId, cron_id: cronId };
  const unfinished = await count(db, 'executions', key, most);
  const finished = await count(db, 'ended_executions', key, most);
  return { unfinished, finished: Math.min(most - unfinished, finished) };
}
