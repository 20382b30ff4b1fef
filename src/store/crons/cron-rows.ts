import { type AlertSettings, readAlertSettings, writeAlertSettings } from '#domain/alert-settings';
import type { Assertion } from '#domain/assertion';
import type { CronEnd } from '#domain/cron-end';
import type { HeaderList, HttpMethod } from '#domain/exchange';
import { writeSlowRule } from '#domain/slow-runs';
import { readTags, writeTags } from '#domain/tags';
import type { Row } from '../tables/tables.ts';
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
  /** When the pause ends automatically. */
  pausedUntil: number | null;
  /** Null if paused or ended. */
  nextRunAt: number | null;
  /** 0 without a number of runs. */
  runsCounted: number;
  /** How many failed runs in a row stopped it; null unless it was stopped. */
  stoppedAfter: number | null;
  createdAt: number;
  /** The part that can't be read and is left out. */
  unreadable: string | null;
}

export function cronColumns(sealer: Sealer, teamId: string, settings: CronSettings) {
  return {
    name: settings.name,
    url: settings.url,
    method: settings.method,
    callback_url: settings.callbackUrl,
    cron_expression: settings.cronExpression,
    timeout_seconds: settings.timeoutSeconds,
    alert_threshold: settings.alertThreshold,
    assertions: JSON.stringify(settings.assertions),
    alert_settings: writeAlertSettings(settings.alertSettings),
    stop_after: settings.stopAfter,
    keeps_response_body: yesNo(settings.keepsResponseBody),
    starts_at: settings.startsAt,
    ends_at: settings.end.endsAt,
    max_runs: settings.end.maxRuns,
    slow_rule: writeSlowRule(settings.alertSettings.slow),
    tags: writeTags(settings.tags),
    sealed_headers: sealHeaders(sealer, 'crons', teamId, settings.headers),
    payload: settings.payload === null ? null : JSON.stringify(settings.payload),
  };
}

export function cronOf(sealer: Sealer, row: Row<'crons'>): Cron {
  const reader = new PartsReader();
  return {
    teamId: row.team_id,
    id: row.id,
    name: row.name,
    url: row.url,
    method: row.method,
    headers: reader.readHeaders(sealer, 'crons', row.sealed_headers),
    payload: reader.readPayload(row.payload),
    callbackUrl: row.callback_url,
    cronExpression: row.cron_expression,
    timeoutSeconds: row.timeout_seconds,
    alertThreshold: row.alert_threshold,
    assertions: reader.readAssertions(row.assertions),
    alertSettings: readAlertSettings(row.alert_settings, row.slow_rule),
    stopAfter: row.stop_after,
    keepsResponseBody: row.keeps_response_body === 1,
    tags: readTags(row.tags),
    isActive: row.is_active === 1,
    pausedUntil: row.paused_until,
    nextRunAt: row.next_run_at,
    startsAt: row.starts_at,
    end: endOf(row),
    runsCounted: row.runs_counted,
    stoppedAfter: row.stopped_after,
    createdAt: row.created_at,
    unreadable: reader.unreadable,
  };
}
