import { readAlertSettings } from '#domain/alert-settings';
import type { RemindedKind } from './reminders.ts';
import { change, first, one } from '../database/rows.ts';

/** Reminders of crons: each cron has its streak and the time of the next one in its row. */
export const CRON_REMINDERS: RemindedKind = {
  kind: 'cron',

  async findDue(db, now, most) {
    return db.read((reader) =>
      reader
        .selectFrom('crons as c')
        .innerJoin('teams as t', 't.id', 'c.team_id')
        .select(['c.team_id', 'c.id', 't.paused_at', 'c.failing_since'])
        .where('t.deleted_at', 'is', null)
        .where('c.remind_at', '<=', now)
        .orderBy('c.remind_at')
        .limit(most)
        .execute(),
    );
  },

  /** The last failure that was raised. The reminder links to the same run. */
  async findFailure(db, { team_id, id }) {
    const row = await db.read((reader) =>
      first(
        reader,
        'alerts',
        { team_id, source_id: id, level: 'failure' },
        { columns: ['run_id', 'response_status', 'reason', 'error_message'], order: ['id desc'] },
      ),
    );
    // Only alerts of usage have no run.
    return row ? { ...row, run_id: row.run_id ?? '', attempt_number: null } : null;
  },

  async lock(trx, { team_id, id }) {
    const row = await one(
      trx,
      'crons',
      { team_id, id },
      [
        'name',
        'is_active',
        'next_run_at',
        'has_raised_failure',
        'failed_runs',
        'failing_since',
        'remind_at',
        'alert_settings',
      ],
      'for no key update',
    );
    if (!row || row.remind_at === null) return null;
    return {
      name: row.name,
      settings: readAlertSettings(row.alert_settings),
      isFailing: row.has_raised_failure === 1,
      isActive: row.is_active === 1 && row.next_run_at !== null,
      failingSince: row.failing_since,
      failedRuns: row.failed_runs,
      remindAt: row.remind_at,
      // A streak raises its failure once; each word of it since then was a reminder.
      lastToldAt: null,
    };
  },

  async write(trx, { team_id, id }, remindAt) {
    await change(trx, 'crons', { team_id, id }, { remind_at: remindAt });
  },
};
