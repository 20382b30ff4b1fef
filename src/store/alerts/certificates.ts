import { describeCertificate, type SeenCertificate } from '#domain/http/certificate';
import { DAY_MS } from '#domain/base/instant';
import type { AlertSource } from '#domain/team/maintenance';
import type { Context } from '../database/context.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Database, Trx } from '../database/database.ts';
import { addMissing, all, change, remove } from '../database/rows.ts';
import type { Settlement } from '../runs/settlement.ts';
import type { Row } from '../tables/tables.ts';
import { type AlertToRaise, lockSource, raiseAlerts, rowOfRun, sourceOf } from './raise-alerts.ts';

export type EndingCertificate = RecordOf<Pick<CertificateRow, 'host' | 'ends_at'>>;

/** Of one cron or queue. A queue may call thousands of hosts. */
const MOST_CERTIFICATES = 20;
/** A row that no run has confirmed for so long is deleted. Some crons run once a month. */
export const CERTIFICATE_KEPT_DAYS = 35;
const CONFIRMED_EVERY_MS = DAY_MS;
const FRESH_MS = 60_000;
const MOST_KNOWN = 10_000;

type CertificateRow = Row<'ending_certificates'>;

interface Sight {
  run: Settlement['run'];
  end: Settlement['end'];
  source: AlertSource;
  certificate: SeenCertificate;
}

export type KnownCertificates = ReturnType<typeof knownCertificates>;

/** Up to a minute old. Most runs agree with these rows and need no statement. */
export function knownCertificates(db: Database) {
  let bySource = new Map<string, CertificateRow[]>();
  let readAt: number | null = null;
  const refresh = async (now: number) => {
    if (readAt !== null && now >= readAt && now - readAt < FRESH_MS) return;
    const rows = await all(db, 'ending_certificates', {}, { limit: MOST_KNOWN });
    bySource = Map.groupBy(rows, ({ source_id }) => source_id);
    readAt = now;
  };
  const isNews = ({ source, certificate: { host, endsAt, endsSoon }, end }: Sight) => {
    const rows = bySource.get(source.id) ?? [];
    const ofHost = rows.filter((row) => row.host === host);
    if (ofHost.some((row) => row.ends_at < endsAt && row.is_replaced === 0)) return true;
    if (!endsSoon) return false;
    const own = ofHost.find((row) => row.ends_at === endsAt);
    if (own === undefined) return rows.length < MOST_CERTIFICATES;
    return own.is_replaced === 1 || end.completedAt - own.seen_at >= CONFIRMED_EVERY_MS;
  };
  return {
    /** Before the transaction of the settlements. */
    async findNews(settlements: readonly Settlement[]): Promise<Sight[]> {
      const seen = settlements.flatMap(({ run, end, certificate }): Sight[] =>
        certificate ? [{ run, end, source: sourceOf(run), certificate }] : [],
      );
      if (seen.length === 0) return seen;
      await refresh(Math.max(...seen.map(({ end }) => end.completedAt)));
      return seen.filter(isNews);
    },

    /** Other processes learn of a change within a minute; this one at once. */
    forget(): void {
      readAt = null;
    },
  };
}

/** In one order, and after all other locks of a settlement. @returns whether an alert was raised */
export async function followCertificates(trx: Trx, news: readonly Sight[]): Promise<boolean> {
  const last = new Map(
    news.map((sight) => {
      const { host, endsAt } = sight.certificate;
      return [`${sight.source.id} ${host} ${endsAt}`, sight];
    }),
  );
  const alerts: AlertToRaise[] = [];
  for (const key of [...last.keys()].toSorted()) {
    const sight = last.get(key);
    const alert = sight && (await follow(trx, sight));
    if (alert) alerts.push(alert);
  }
  await raiseAlerts(trx, alerts);
  return alerts.length > 0;
}

async function follow(trx: Trx, sight: Sight): Promise<AlertToRaise | null> {
  const {
    run,
    source: { id: source_id },
    certificate,
    end,
  } = sight;
  const { host, endsAt } = certificate;
  const found = await lockSource(trx, run.teamId, sight.source);
  if (!found) return null;
  const { source, settings } = found;
  const ofSource = { team_id: run.teamId, source_id };
  const locked = { order: ['ends_at'], lock: 'for update' } as const;
  const rows = await all(trx, 'ending_certificates', { ...ofSource, host }, locked);
  const older = rows.filter((row) => row.ends_at < endsAt && row.is_replaced === 0);
  if (older.length > 0) {
    const ends_at = older.map((row) => row.ends_at);
    await change(trx, 'ending_certificates', { ...ofSource, host, ends_at }, { is_replaced: 1 });
  }
  if (!certificate.endsSoon) return null;
  const wasNotified = rows.some((row) => row.ends_at === endsAt && row.is_notified === 1);
  const raises = settings.certificates && !wasNotified;
  const now = {
    seen_at: end.completedAt,
    is_replaced: 0,
    is_notified: raises || wasNotified ? 1 : 0,
  } as const;
  const own = { ...ofSource, host, ends_at: endsAt };
  if (rows.some((row) => row.ends_at === endsAt)) {
    await change(trx, 'ending_certificates', own, now);
  } else {
    const others = await all(trx, 'ending_certificates', ofSource, { columns: ['host'] });
    if (others.length >= MOST_CERTIFICATES) return null;
    // Another process has just added and notified it.
    if ((await addMissing(trx, 'ending_certificates', { ...own, ...now })) === 0) return null;
  }
  if (!raises) return null;
  const error_message = describeCertificate(certificate);
  const facts = { level: 'warning', reason: null, error_message, kind: 'certificate' } as const;
  return { source, settings, row: { ...rowOfRun(run, end), ...facts } };
}

export async function forgetCertificates(trx: Trx, teamId: string, sourceId: string) {
  await remove(trx, 'ending_certificates', { team_id: teamId, source_id: sourceId });
}

/** Without replaced ones, the first end first. */
export const certificates = {
  async listOfSource({ main }: Context, teamId: string, sourceId: string) {
    const key = { team_id: teamId, source_id: sourceId, is_replaced: 0 } as const;
    const rows = await all(main, 'ending_certificates', key, { order: ['ends_at', 'host'] });
    return rows.map((row) => toRecord(row, ['host', 'ends_at']));
  },

  async listOfTeam({ searches }: Context, teamId: string, limit: number) {
    const key = { team_id: teamId, is_replaced: 0 } as const;
    const order = ['ends_at', 'host', 'source_id'] as const;
    const rows = await all(searches, 'ending_certificates', key, { order, limit });
    return rows.map((row) => toRecord(row, ['host', 'ends_at', 'source_id']));
  },
};
