import { followCertificates, type KnownCertificates } from '../alerts/certificates.ts';
import { followCrons, type SettledRun } from '../alerts/cron-alerts.ts';
import type { Database } from '../database/database.ts';
import { END_RUNS, endRuns } from './end-runs.ts';
import { type JobAlert, raiseJobAlerts } from '../alerts/job-alerts.ts';
import type { RunTable } from './run-tables.ts';
import { type EndedRow, packSettlements, type Settlement } from './settlement.ts';
import { followSpells, timeRuns } from '../alerts/slow-spells.ts';
import { uncountRuns } from '../figures/usage.ts';

interface Settled {
  /** Nothing was changed for runs of others. */
  isOurs: (run: Settlement['run']) => boolean;
  hasRaised: boolean;
}

interface Tools {
  db: Database;
  certificates: KnownCertificates;
}

/** Outcomes, next attempts, callbacks and alerts in one transaction. */
export async function settleRuns(
  { db, certificates }: Tools,
  table: RunTable,
  nodeId: string,
  settlements: readonly Settlement[],
): Promise<Settled> {
  const timed = timeRuns(settlements);
  const news = await certificates.findNews(settlements);
  const input = packSettlements(db.dialect, table, nodeId, settlements);
  if (timed.length + news.length === 0 && settlements.every(isQuiet)) {
    const ended = await endRuns(input, (some) => db.perform(END_RUNS, some));
    return { isOurs: amongEnded(ended), hasRaised: false };
  }
  const settled = await db.transact(async (trx) => {
    const ended = await endRuns(input, (some) => END_RUNS[trx.dialect.name].run(trx, some));
    const isOurs = amongEnded(ended);
    const kept = settlements.filter(({ run }) => isOurs(run));
    const ourTimed = timed.filter(({ run }) => isOurs(run));
    const hasSpellAlert = await followSpells(trx, ourTimed);
    await raiseJobAlerts(trx, kept.filter(isAlerting));
    const hasFollowed = await followCrons(trx, findAlertable(kept, ended ?? []));
    const unsent = kept.filter(({ run }) => run.unreadable !== null);
    await uncountRuns(
      trx,
      unsent.map(({ run }) => ({ teamId: run.teamId, countedAt: run.startedAt })),
    );
    const ourNews = news.filter(({ run }) => isOurs(run));
    const hasCertificateAlert = await followCertificates(trx, ourNews);
    return { isOurs, hasRaised: hasFollowed || hasSpellAlert || hasCertificateAlert };
  });
  if (news.length > 0) certificates.forget();
  return settled;
}

function amongEnded(ended: readonly EndedRow[] | null): Settled['isOurs'] {
  if (ended === null) return () => true;
  const ids = new Set(ended.map(({ id }) => id));
  return ({ id }) => ids.has(id);
}

/** Unknown for an execution: it depends on the cron's streak. */
export function isQuiet({ run, alert }: Settlement): boolean {
  return run.kind === 'job' && alert === null && run.unreadable === null;
}

function isAlerting(settled: Settlement): settled is Settlement & JobAlert {
  return settled.run.kind === 'job' && settled.alert !== null;
}

/** A cron without failed runs that succeeds needs no alert. */
function findAlertable(settled: readonly Settlement[], ended: readonly EndedRow[]): SettledRun[] {
  const failedRuns = new Map(
    ended.flatMap((row) => (typeof row.follows === 'number' ? [[row.id, row.failed_runs]] : [])),
  );
  const runs = settled.flatMap(({ run, status, end }) =>
    run.kind === 'execution' && failedRuns.has(run.id) ? [{ run, status, end }] : [],
  );
  const changesNothing = ({ run, status }: SettledRun) =>
    status === 'success' && failedRuns.get(run.id) === 0;
  const changing = new Set(
    runs.filter((each) => !changesNothing(each)).map(({ run }) => run.cronId),
  );
  return runs.filter(({ run }) => changing.has(run.cronId));
}
