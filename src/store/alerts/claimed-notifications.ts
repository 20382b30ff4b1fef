import { type AlertSettings, readAlertSettings } from '#domain/alerts/alert-settings';
import { readCronPayload } from '#domain/http/payload';
import type { RequestSpec } from '#domain/http/request';
import { alertOf, readRow, type RunAlertRow, type StoredAlert } from './alerts.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Row } from '../tables/tables.ts';
import type { Trx } from '../database/database.ts';
import { listOr } from '../database/parse-list.ts';
import type { Sealer } from '../database/seal.ts';
import type { NotificationTarget } from './notification-rows.ts';
import { PartsReader } from '../runs/stored-parts.ts';
import { all, first, one } from '../database/rows.ts';

const COLUMNS = [
  'team_id',
  'id',
  'channel_id',
  'group_id',
  'batch_id',
  'alert_count',
  'attempts',
] as const;

/** Only this caller may send it until the lease ends. */
export interface ClaimedNotification extends RecordOf<
  Pick<Row<'notifications'>, (typeof COLUMNS)[number]>
> {
  claimId: string;
  firstTriedAt: number;
  teamName: string;
  alert: StoredAlert;
  /** One, except at the end of a maintenance window (§6.6). */
  subjects: readonly StoredAlert['source'][];
  /** As set now; defaults if the source was deleted. */
  settings: AlertSettings;
  targets: readonly NotificationTarget[];
  response: Uint8Array | null;
  /** To hide parts of the request; for a cron, as it is now. Null if the source was deleted. */
  request: RequestSpec | null;
}

export type NotificationKey = Pick<ClaimedNotification, 'teamId' | 'id' | 'claimId' | 'groupId'>;

export function keyOf({ team_id, id, claim_id, group_id }: Row<'notifications'>): NotificationKey {
  return { teamId: team_id, id, claimId: claim_id ?? '', groupId: group_id };
}

/** Null if retention has deleted its alerts. */
export async function readNotification(
  trx: Trx,
  sealer: Sealer,
  row: Row<'notifications'>,
  teamName: string,
): Promise<ClaimedNotification | null> {
  const ofGroup = { team_id: row.team_id, notification_id: row.group_id };
  const found = await first(trx, 'alerts', ofGroup, { order: ['id'] });
  const alert = found && readRow(found);
  if (!alert || alert.level === 'usage') return null;
  const { settings, sent, body } = await readParts(trx, alert);
  const reader = new PartsReader();
  const request = sent ? requestOf(sealer, reader, alert.source, sent) : null;
  return {
    ...toRecord(row, COLUMNS),
    ...keyOf(row),
    teamName,
    alert: alertOf(alert),
    subjects:
      row.alert_count === 1 || alert.muted_by === null
        ? [alertOf(alert).source]
        : await readSubjects(trx, ofGroup),
    settings: readAlertSettings(settings ?? null),
    // A damaged list counts as the channel: sending twice is better than not at all.
    targets: listOr<NotificationTarget>(row.targets, ['channel']),
    firstTriedAt: row.first_tried_at ?? 0,
    // Without a readable request its repetitions in the response can't be hidden.
    response: reader.unreadable === null ? (body ?? null) : null,
    request,
  };
}

const MOST_SUBJECTS = 500;

async function readSubjects(
  trx: Trx,
  ofGroup: { team_id: string; notification_id: string },
): Promise<StoredAlert['source'][]> {
  const columns = ['source', 'source_id', 'source_name'] as const;
  const choice = { columns, order: ['id'] as const, limit: MOST_SUBJECTS };
  const rows = await all(trx, 'alerts', ofGroup, choice);
  return rows.flatMap(({ source, source_id, source_name }) =>
    source === 'team' ? [] : [{ kind: source, id: source_id, name: source_name }],
  );
}

const REQUEST = ['method', 'url', 'sealed_headers', 'payload'] as const;

async function readParts(trx: Trx, { team_id, source, source_id, run_id }: RunAlertRow) {
  const key = { team_id, id: source_id };
  const run = run_id === null ? null : { team_id, id: run_id };
  if (source === 'cron') {
    const sent = await one(trx, 'crons', key, ['alert_settings', ...REQUEST]);
    const ended = run && (await one(trx, 'ended_executions', run, ['body']));
    return { settings: sent?.alert_settings, sent, body: ended?.body };
  }
  const queue = await one(trx, 'queues', key, ['alert_settings']);
  const sent = run && (await one(trx, 'ended_jobs', run, ['body', ...REQUEST]));
  return { settings: queue?.alert_settings, sent, body: sent?.body };
}

function requestOf(
  sealer: Sealer,
  reader: PartsReader,
  source: RunAlertRow['source'],
  { method, url, sealed_headers, payload }: Pick<Row<'crons'>, (typeof REQUEST)[number]>,
): RequestSpec {
  const table = source === 'cron' ? 'crons' : 'jobs';
  const headers = reader.readHeaders(sealer, table, sealed_headers);
  if (payload === null) return { method, url, headers, payload };
  if (source === 'queue') return { method, url, headers, payload: { kind: 'json', text: payload } };
  return { method, url, headers, payload: readCronPayload(reader.readPayload(payload)) };
}
