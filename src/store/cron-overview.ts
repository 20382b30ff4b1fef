import { sql } from 'kysely';
import { type ExecutionRecord, executionRecord } from './crons.ts';
import type { Database } from './database.ts';

export interface NamedRun {
  execution: ExecutionRecord;
  cronName: string;
}

/** Active crons whose last finished run failed, latest failure first: a step of the index a cron. */
export async function listFailingCrons(
  db: Database,
  teamId: string,
  limit: number,
): Promise<NamedRun[]> {
  return readLastRuns(db, teamId, limit, 'failing');
}

/** The last finished run of each cron, latest end first. */
export async function listLastRuns(
  db: Database,
  teamId: string,
  limit: number,
): Promise<NamedRun[]> {
  return readLastRuns(db, teamId, limit, 'all');
}

async function readLastRuns(
  db: Database,
  teamId: string,
  limit: number,
  which: 'failing' | 'all',
): Promise<NamedRun[]> {
  const rows = await db.read((reader) =>
    reader
      .selectFrom('crons')
      .innerJoin('executions', (join) =>
        join.onRef('executions.team_id', '=', 'crons.team_id').on(
          sql<boolean>`executions.id = (select e.id from executions e where e.cron_id = crons.id
              and e.completed_at is not null order by e.id desc limit 1)`,
        ),
      )
      .selectAll('executions')
      .select('crons.name')
      .where('crons.team_id', '=', teamId)
      .$if(which === 'failing', (query) =>
        query.where('crons.is_active', '=', 1).where('executions.status', '=', 'failed'),
      )
      .orderBy('executions.completed_at', 'desc')
      .limit(limit)
      .execute(),
  );
  return rows.map((row) => ({ execution: executionRecord(row), cronName: row.name }));
}

/** What runs next, soonest first. */
export async function listNextCrons(
  db: Database,
  teamId: string,
  limit: number,
): Promise<{ id: string; name: string; nextRunAt: number }[]> {
  const rows = await db.read((reader) =>
    reader
      .selectFrom('crons')
      .select(['id', 'name', 'next_run_at'])
      .where('team_id', '=', teamId)
      .where('next_run_at', 'is not', null)
      .orderBy('next_run_at')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  return rows.flatMap(({ id, name, next_run_at }) =>
    next_run_at === null ? [] : [{ id, name, nextRunAt: next_run_at }],
  );
}
