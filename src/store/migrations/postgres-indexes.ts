import type { IndexStep } from '../postgres/index-steps.ts';

const URL_START = '(left(url, 100) collate "C")';

/**
 * Indexes on Postgres that came to tables which may be large by then: a migration would stop every write to the
 * table until it is done. They are no migrations: whatever is missing is built after them, at each start. On SQLite,
 * where nobody writes while a start migrates, they are part of the migrations.
 *
 * Those of 0004, 0008, 0018 and 0020. Postgres writes a new entry into every full index whenever a job is claimed or settled; two partial
 * ones by URL take one each, and none for a claim. Without the id, equal URLs share their entry. What runs is in
 * neither: it is few, and looked at one by one.
 */
export const POSTGRES_INDEXES: readonly IndexStep[] = [
  {
    // With the time, so that the look for lost claims can begin where the first claim in doubt was made.
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
    // Only who says "url <> ''" finds it: it has the entries of all that ever waited since the last vacuum, few of
    // them live, and claims, which look for what waits too, were given it by the planner.
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
    // Only who says "status <> ''" finds it: lists, which look for the last ends of one cron, were given it by the
    // planner, and went through the ends of all crons.
    name: 'ended_executions_expiring',
    table: 'ended_executions',
    definition: "(completed_at) where status <> ''",
    columns: 1,
    replaces: 'ended_executions_old',
  },
  { name: 'usage_months_by_month', table: 'usage_months', definition: '(month)', columns: 1 },
];
