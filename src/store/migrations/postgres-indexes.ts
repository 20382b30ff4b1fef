import type { IndexStep } from '../postgres/index-steps.ts';

const URL_START = '(left(url, 100) collate "C")';

/**
 * Indexes of Postgres on tables that may be large when the index is introduced. A migration that builds one would block
 * all writes to the table. So they are no migrations: missing ones are built afterwards, at each start. On SQLite,
 * where nobody writes while a start migrates, they are part of the migrations.
 *
 * Here are those of 0004, 0008 and later migrations. Postgres adds an entry to every full index whenever a job is
 * claimed or settled. The two partial indexes by URL cost one entry each, and none for a claim. Without the id, equal
 * URLs share their entry. Running jobs are in neither: they are few and examined one by one.
 */
export const POSTGRES_INDEXES: readonly IndexStep[] = [
  {
    // With the time, so that the search for lost claims can begin at the time of the first claim in doubt.
    name: 'jobs_running',
    table: 'jobs',
    definition: "(queue_id, started_at) where status = 'processing'",
    columns: 2,
  },
  {
    name: 'jobs_finished',
    table: 'jobs',
    definition: '(queue_id, status, completed_at, id) where completed_at is not null',
    columns: 4,
  },
  {
    name: 'jobs_retrying',
    table: 'jobs',
    definition: "(queue_id, scheduled_at, id) where status = 'pending' and attempt_number > 1",
    columns: 3,
  },
  {
    name: 'jobs_failed',
    table: 'jobs',
    definition: `(queue_id, status, (case when retried_as is null then 0 else 1 end),
      (coalesce(reason, '')), completed_at, id) where status in ('retried', 'dead_lettered', 'failed')`,
    columns: 6,
  },
  {
    name: 'jobs_retried',
    table: 'jobs',
    definition: '(retried_as) where retried_as is not null',
    columns: 1,
  },
  {
    name: 'jobs_by_url',
    table: 'jobs',
    definition: `(team_id, ${URL_START}) where completed_at is not null`,
    columns: 2,
  },
  {
    // Used only by statements with the condition "url <> ''". This index has entries of all jobs that waited since the
    // last vacuum, most of them dead, and the planner chose it for claims, which look for waiting jobs too.
    name: 'jobs_waiting_of_url',
    table: 'jobs',
    definition: `(team_id, ${URL_START}) where status = 'pending' and url <> ''`,
    columns: 2,
    replaces: 'jobs_waiting_by_url',
  },
  {
    name: 'alerts_of_window',
    table: 'alerts',
    definition: '(team_id, window_id, id) where window_id is not null',
    columns: 3,
  },
  {
    name: 'crons_to_remind',
    table: 'crons',
    definition: '(remind_at) where remind_at is not null',
    columns: 1,
  },
  {
    name: 'ended_executions_successes',
    table: 'ended_executions',
    definition: "(completed_at) where status = 'success'",
    columns: 1,
  },
  {
    name: 'ended_executions_ends',
    table: 'ended_executions',
    definition: '(cron_id, status, completed_at, id)',
    columns: 4,
  },
  {
    // Used only by statements with the condition "status <> ''". The planner chose it for lists of the last ends of one
    // cron, and then read the ends of all crons.
    name: 'ended_executions_expiring',
    table: 'ended_executions',
    definition: "(completed_at) where status <> ''",
    columns: 1,
    replaces: 'ended_executions_old',
  },
  { name: 'usage_months_by_month', table: 'usage_months', definition: '(month)', columns: 1 },
];
