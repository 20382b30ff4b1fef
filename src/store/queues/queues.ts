import { readAlertSettings, writeAlertSettings } from '#domain/alerts/alert-settings';
import { newId } from '#domain/base/ids';
import { formatRate, parseRate } from '#domain/team/rate';
import { readWatchRules, writeWatchRules } from '#domain/alerts/queue-watch';
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from '#domain/team/queue-settings';
import { readTags, writeTags } from '#domain/team/tags';
import { sql } from '../database/sql.ts';
import type { Trx } from '../database/database.ts';
import { takePlace } from '../database/row-bounds.ts';
import { deleteWithRuns } from '../retention/delete-runs.ts';
import { changeReminders } from '../alerts/reminders.ts';
import { keepWatches } from '../alerts/queue-watches.ts';
import { groupedFind } from '../database/grouped-find.ts';
import { preparedStatement } from '../database/prepared.ts';
import { KEY } from '../runs/run-tables.ts';
import { listOr } from '../database/parse-list.ts';
import { toRecord, toRow } from '../database/records.ts';
import { namesOf, type YesNo } from '../tables/table.ts';
import { queues as queuesTable } from '../tables/work.ts';
import type { Row } from '../tables/tables.ts';
import { forgetTaken } from '../runs/taken-slots.ts';
import { addMissing, all, change, one } from '../database/rows.ts';
import { bind, type Context } from '../database/context.ts';

export interface Queue extends QueueSettings {
  teamId: string;
  id: string;
  name: string;
  createdAt: number;
}

type SettingsColumns = Omit<Row<'queues'>, 'team_id' | 'id' | 'name' | 'created_at' | 'paused_at'>;

const SETTINGS = namesOf(
  queuesTable.columns,
  ...(['team_id', 'id', 'name', 'created_at', 'paused_at'] as const),
  ...(['retry_schedule', 'retries_enabled', 'rate', 'assertions', 'email_alerts'] as const),
  ...(['is_paused', 'alert_settings', 'slow_seconds', 'watch_rules'] as const),
  ...(['keeps_response_body', 'tags'] as const),
);

function queueOf(row: Row<'queues'>): Queue {
  return {
    ...toRecord(row, ['team_id', 'id', 'name', 'created_at', ...SETTINGS]),
    ...policyOf(row),
    rate: row.rate === null ? null : parseRate(row.rate),
    // A damaged list is shown as empty, so it can be saved again. Claims report it.
    assertions: listOr(row.assertions, []),
    isPaused: row.is_paused === 1,
    alertSettings: readAlertSettings(row.alert_settings, row.slow_seconds),
    watch: readWatchRules(row.watch_rules),
    keepsResponseBody: row.keeps_response_body === 1,
    tags: readTags(row.tags),
  };
}

function settingsColumns(settings: Partial<QueueSettings>): Partial<SettingsColumns> {
  const { retrySchedule, retriesEnabled, rate, assertions, emailAlerts } = settings;
  const { isPaused, alertSettings, watch, keepsResponseBody, tags } = settings;
  return {
    ...toRow<Row<'queues'>, (typeof SETTINGS)[number]>(settings, SETTINGS),
    ...(retrySchedule !== undefined && { retry_schedule: JSON.stringify(retrySchedule) }),
    ...(retriesEnabled !== undefined && { retries_enabled: yesNo(retriesEnabled) }),
    ...(rate !== undefined && { rate: rate && formatRate(rate) }),
    ...(assertions !== undefined && { assertions: JSON.stringify(assertions) }),
    ...(emailAlerts !== undefined && { email_alerts: yesNo(emailAlerts) }),
    ...(isPaused !== undefined && { is_paused: yesNo(isPaused) }),
    ...(alertSettings !== undefined && {
      alert_settings: writeAlertSettings(alertSettings),
      slow_seconds: alertSettings.slowSeconds,
    }),
    ...(watch !== undefined && { watch_rules: writeWatchRules(watch) }),
    ...(keepsResponseBody !== undefined && { keeps_response_body: yesNo(keepsResponseBody) }),
    ...(tags !== undefined && { tags: writeTags(tags) }),
  };
}

export function yesNo(value: boolean): YesNo {
  return value ? 1 : 0;
}

/** Defaults of §2.3. */
export async function insertMissingQueues(
  trx: Trx,
  teamId: string,
  names: readonly string[],
  now: number,
): Promise<void> {
  const columns = settingsColumns(DEFAULT_QUEUE_SETTINGS) as SettingsColumns;
  const made = { team_id: teamId, created_at: now, paused_at: null, ...columns };
  const rows = names.map((name) => ({ id: newId(now), name, ...made }));
  await addMissing(trx, 'queues', rows);
}

export type QueuePolicy = Pick<QueueSettings, 'retriesEnabled' | 'retrySchedule' | 'emailAlerts'>;

type PolicyRow = Pick<Row<'queues'>, 'id' | 'retry_schedule' | 'retries_enabled' | 'email_alerts'>;

const readPolicies = preparedStatement<PolicyRow>(
  'read-queue-policies',
  (dialect) => `
  select q.id, q.retry_schedule, q.retries_enabled, q.email_alerts
  from ${dialect.rows(KEY, 1)} cross join queues q where ${dialect.hasKeyOf('q', 'given')}`,
);

function policyOf(row: PolicyRow): QueuePolicy {
  return {
    retrySchedule: listOr(row.retry_schedule, []),
    retriesEnabled: row.retries_enabled === 1,
    emailAlerts: row.email_alerts === 1,
  };
}

export function queues(context: Context) {
  const find = groupedFind(context, readPolicies, KEY, 'id', policyOf);
  return {
    ...bind(context, functions),
    /** Read for each attempt, since the settings at its end count. */
    findPolicy: (teamId: string, id: string) => find({ team_id: teamId, id }),
  };
}

const functions = {
  async find({ main }: Context, teamId: string, queueId: string): Promise<Queue | null> {
    const row = await one(main, 'queues', { team_id: teamId, id: queueId });
    return row ? queueOf(row) : null;
  },

  async findByName({ main }: Context, teamId: string, name: string): Promise<Queue | null> {
    const row = await one(main, 'queues', { team_id: teamId, name });
    return row ? queueOf(row) : null;
  },

  async list({ main }: Context, teamId: string): Promise<Queue[]> {
    const rows = await all(main, 'queues', { team_id: teamId }, { order: ['name'] });
    return rows.map(queueOf);
  },

  /**
   * A new queue gets defaults.
   * @throws TeamFull
   */
  async save(
    context: Context,
    teamId: string,
    name: string,
    settings: Partial<QueueSettings>,
    now: number,
  ): Promise<Queue> {
    const queue = await saveSettings(context, { team_id: teamId, name }, settings, async (trx) => {
      const present = await one(trx, 'queues', { team_id: teamId, name }, ['id']);
      if (!present) await takePlace(trx, teamId, 'queues', context.bounds);
      await insertMissingQueues(trx, teamId, [name], now);
    });
    if (queue === null) throw new Error(`the queue ${name} was deleted while it was saved`);
    return queue;
  },

  async update(
    context: Context,
    teamId: string,
    queueId: string,
    settings: Partial<QueueSettings>,
  ): Promise<Queue | null> {
    return saveSettings(context, { team_id: teamId, id: queueId }, settings);
  },

  /** @returns the number of jobs (§3.5) */
  async delete({ main }: Context, teamId: string, queueId: string): Promise<number | null> {
    return deleteWithRuns(main, 'queues', { team_id: teamId, id: queueId });
  },

  /** False if there is no such queue, or the name is taken. */
  async rename({ main }: Context, teamId: string, queueId: string, name: string): Promise<boolean> {
    const changed = await main.change(sql`
      update queues set name = ${name} where team_id = ${teamId} and id = ${queueId} and not exists (
        select 1 from queues o where o.team_id = ${teamId} and o.name = ${name} and o.id <> ${queueId})`);
    return changed === 1;
  },
};

async function saveSettings(
  context: Context,
  key: { team_id: string } & ({ id: string } | { name: string }),
  settings: Partial<QueueSettings>,
  prepare?: (trx: Trx) => Promise<void>,
): Promise<Queue | null> {
  const { concurrencyLimit, alertSettings, watch, isPaused } = settings;
  const now = context.clock.now();
  const paused_at = isPaused
    ? sql<number>`case when is_paused = 1 then coalesce(paused_at, ${now}) else ${now} end`
    : null;
  const row = await context.main.transact(async (trx) => {
    await prepare?.(trx);
    await change(trx, 'queues', key, {
      ...key,
      ...settingsColumns(settings),
      ...(isPaused !== undefined && { paused_at }),
    });
    const saved = await one(trx, 'queues', key);
    if (!saved) return null;
    if (alertSettings) await changeReminders(trx, saved.team_id, saved.id, alertSettings);
    if (watch) await keepWatches(trx, saved, watch, now);
    if (concurrencyLimit !== undefined) await forgetTaken(trx, saved.team_id, saved.id);
    return saved;
  });
  if (!row) return null;
  // A resumed queue or a higher limit may start jobs.
  context.signals.send([{ kind: 'queue-changed', queueId: row.id, teamId: row.team_id }]);
  return queueOf(row);
}
