import {
  type AlertSettings,
  readAlertSettings,
  writeAlertSettings,
} from '#domain/alerts/alert-settings';
import type { Assertion } from '#domain/judging/assertion';
import type { CronEnd } from '#domain/cron/cron-end';
import type { HeaderList, HttpMethod } from '#domain/http/exchange';
import { readTags, writeTags } from '#domain/team/tags';
import { toRecord, toRow } from '../database/records.ts';
import { namesOf } from '../tables/table.ts';
import type { Row } from '../tables/tables.ts';
import { crons as cronsTable } from '../tables/work.ts';
import { yesNo } from '../queues/queues.ts';
import type { Sealer } from '../database/seal.ts';
import { sealHeaders } from '../runs/headers.ts';
import { PartsReader } from '../runs/stored-parts.ts';
import { endOf } from './row-end.ts';

export interface CronSettings {
  name: string;
  url: string;
  method: HttpMethod;
  headers: HeaderList;
  payload: string | null;
  callbackUrl: string | null;
  cronExpression: string;
  timeoutSeconds: number;
  alertThreshold: number | null;
  assertions: readonly Assertion[];
  alertSettings: AlertSettings;
  stopAfter: number | null;
  keepsResponseBody: boolean;
  /** Inclusive. */
  startsAt: number | null;
  end: CronEnd;
  tags: readonly string[];
}

export interface Cron extends CronSettings {
  teamId: string;
  id: string;
  isActive: boolean;
  pausedUntil: number | null;
  /** Null if paused or ended. */
  nextRunAt: number | null;
  /** 0 without a number of runs. */
  runsCounted: number;
  /** Null unless failures stopped it. */
  stoppedAfter: number | null;
  createdAt: number;
  unreadable: string | null;
}

/** Columns that are no field of the same name and form. */
const UNLIKE = [
  ...(['sealed_headers', 'payload', 'assertions', 'alert_settings', 'slow_seconds'] as const),
  ...(['keeps_response_body', 'tags', 'is_active', 'ends_at', 'max_runs'] as const),
  ...(['failed_runs', 'failing_since', 'has_raised_failure', 'remind_at'] as const),
] as const;
const PLAIN = namesOf(cronsTable.columns, ...UNLIKE);
const PLAIN_SETTINGS = namesOf(
  cronsTable.columns,
  ...UNLIKE,
  ...(['team_id', 'id', 'created_at', 'next_run_at', 'paused_until'] as const),
  ...(['runs_counted', 'stopped_after'] as const),
);
type PlainSetting = (typeof PLAIN_SETTINGS)[number];

export function cronColumns(sealer: Sealer, teamId: string, settings: CronSettings) {
  return {
    ...(toRow<Row<'crons'>, PlainSetting>(settings, PLAIN_SETTINGS) as Pick<
      Row<'crons'>,
      PlainSetting
    >),
    assertions: JSON.stringify(settings.assertions),
    alert_settings: writeAlertSettings(settings.alertSettings),
    keeps_response_body: yesNo(settings.keepsResponseBody),
    ends_at: settings.end.endsAt,
    max_runs: settings.end.maxRuns,
    slow_seconds: settings.alertSettings.slowSeconds,
    tags: writeTags(settings.tags),
    sealed_headers: sealHeaders(sealer, 'crons', teamId, settings.headers),
    payload: settings.payload === null ? null : JSON.stringify(settings.payload),
  };
}

export function cronOf(sealer: Sealer, row: Row<'crons'>): Cron {
  const reader = new PartsReader();
  return {
    ...toRecord(row, PLAIN),
    headers: reader.readHeaders(sealer, 'crons', row.sealed_headers),
    payload: reader.readPayload(row.payload),
    assertions: reader.readAssertions(row.assertions),
    alertSettings: readAlertSettings(row.alert_settings, row.slow_seconds),
    keepsResponseBody: row.keeps_response_body === 1,
    tags: readTags(row.tags),
    isActive: row.is_active === 1,
    end: endOf(row),
    unreadable: reader.unreadable,
  };
}
