import { REMIND_HOURS } from '#domain/alerts/alert-settings';
import type { FailureReason } from '#domain/judging/failure';
import {
  followPace,
  judgePace,
  type Pace,
  type SlowAlert,
  type SlowSpell,
} from '#domain/alerts/slow-runs';
import type { Row } from '../tables/tables.ts';
import type { Context } from '../database/context.ts';
import type { Trx } from '../database/database.ts';
import { packRows, SOURCES } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import type { ClaimedExecution, ClaimedJob } from '../runs/claims.ts';
import type { RunEnd, Settlement } from '../runs/settlement.ts';
import { type AlertToRaise, lockSource, raiseAlerts, rowOfRun, sourceOf } from './raise-alerts.ts';
import { change, one, remove } from '../database/rows.ts';

export interface TimedRun {
  run: ClaimedJob | ClaimedExecution;
  sourceId: string;
  slowSeconds: number;
  isSuccess: boolean;
  pace: Pace;
  end: RunEnd;
}

const UNTIMED: ReadonlySet<FailureReason | null> = new Set(['limit_exceeded', 'worker_failed']);

export function timeRuns(settlements: readonly Settlement[]): TimedRun[] {
  return settlements.flatMap(({ run, status, end }) => {
    const { slowSeconds } = run;
    if (slowSeconds === null || UNTIMED.has(end.reason)) return [];
    const pace = judgePace(slowSeconds, end.durationMs);
    const isSuccess = status === 'success';
    return [{ run, sourceId: sourceOf(run).id, slowSeconds, isSuccess, pace, end }];
  });
}

type SpellRow = Row<'slow_spells'>;

const SPELL = 's.team_id, s.source_id, s.slow_seconds, s.since, s.last_at, s.notified_at';
const OF_GIVEN = 's.team_id = given.team_id and s.source_id = given.source_id';

const readSpells = preparedStatement<SpellRow>(
  'read-slow-spells',
  ({ rows }) =>
    `select ${SPELL} from ${rows(SOURCES, 1)} cross join slow_spells s where ${OF_GIVEN}`,
);

const makeSpells = preparedStatement<never>(
  'make-slow-spells',
  ({ rows }) => `
  insert into slow_spells (team_id, source_id, slow_seconds, since, last_at, notified_at)
  select team_id, source_id, 0, cast(null as bigint), 0, 0 from ${rows(SOURCES, 1)}
  where true order by source_id on conflict do nothing`,
);

/** In one order, to prevent deadlocks. */
const lockSpells = preparedStatement<SpellRow>(
  'lock-slow-spells',
  ({ rows, lock }) => `
  select ${SPELL} from ${rows(SOURCES, 1)} cross join slow_spells s where ${OF_GIVEN}
  order by s.source_id ${lock('for update of s')}`,
);

/** Most runs change nothing: their sources are read and not locked. @returns whether an alert was raised */
export async function followSpells(trx: Trx, timed: readonly TimedRun[]): Promise<boolean> {
  if (timed.length === 0) return false;
  const bySource = Map.groupBy(timed, ({ sourceId }) => sourceId);
  const all = [...bySource].flatMap(([source_id, [first]]) =>
    first ? [{ team_id: first.run.teamId, source_id }] : [],
  );
  const rows = await trx.rows(readSpells, [packRows(SOURCES, all)]);
  const seen = new Map(rows.map((row) => [row.source_id, row]));
  const changing = all.filter(({ source_id }) => {
    const runs = bySource.get(source_id) ?? [];
    return [...Map.groupBy(runs, (run) => run.slowSeconds)].some(([slowSeconds, ofLimit]) => {
      const before = spellOf(seen.get(source_id), slowSeconds);
      // The reminder interval isn't known here, so assume the shortest: at worst a row is locked for nothing.
      return follow(before, ofLimit, REMIND_HOURS[0]).spell !== before;
    });
  });
  if (changing.length === 0) return false;
  const packed = packRows(SOURCES, changing);
  await trx.rows(makeSpells, [packed]);
  const locked = await trx.rows(lockSpells, [packed]);
  const alerts: AlertToRaise[] = [];
  for (const row of locked) {
    alerts.push(...(await followLocked(trx, row, bySource.get(row.source_id) ?? [])));
  }
  await raiseAlerts(trx, alerts);
  return alerts.length > 0;
}

function spellOf(row: SpellRow | undefined, slowSeconds: number): SlowSpell | null {
  if (!row || row.since === null || row.slow_seconds !== slowSeconds) return null;
  return { since: row.since, lastAt: row.last_at, notifiedAt: row.notified_at };
}

function follow(before: SlowSpell | null, runs: readonly TimedRun[], remindHours: number | null) {
  let spell = before;
  const alerts: { run: TimedRun; alert: SlowAlert }[] = [];
  for (const run of runs) {
    const { isSuccess, pace, end } = run;
    const step = followPace(
      spell,
      { isSlow: pace.isSlow, isSuccess, at: end.completedAt },
      remindHours,
    );
    ({ spell } = step);
    if (step.alert) alerts.push({ run, alert: step.alert });
  }
  return { spell, alerts };
}

async function followLocked(
  trx: Trx,
  row: SpellRow,
  runs: readonly TimedRun[],
): Promise<AlertToRaise[]> {
  const { team_id, source_id } = row;
  const locked = runs[0] && (await lockSource(trx, team_id, sourceOf(runs[0].run)));
  const slowSeconds = locked?.slowSeconds ?? null;
  // The limit was removed while they ran.
  if (!locked || slowSeconds === null) {
    await forgetSpell(trx, team_id, source_id);
    return [];
  }
  const { source, settings } = locked;
  const present = runs.filter((run) => run.slowSeconds === slowSeconds);
  const { spell, alerts } = follow(spellOf(row, slowSeconds), present, settings.remindHours);
  if (spell === null) await forgetSpell(trx, team_id, source_id);
  else {
    const { since, lastAt: last_at, notifiedAt: notified_at } = spell;
    const changed = { slow_seconds: slowSeconds, since, last_at, notified_at };
    await change(trx, 'slow_spells', { team_id, source_id }, changed);
  }
  return alerts.map(({ run: { run, pace, end }, alert: { level, slowMs: down_ms } }) => {
    const facts = { level, error_message: pace.words, down_ms, kind: 'slow' as const };
    return { source, settings, row: { ...rowOfRun(run, end), ...facts } };
  });
}

async function forgetSpell(trx: Trx, teamId: string, sourceId: string): Promise<void> {
  await remove(trx, 'slow_spells', { team_id: teamId, source_id: sourceId });
}

export async function findSlowSince(
  { main }: Context,
  teamId: string,
  sourceId: string,
  slowSeconds: number,
): Promise<number | null> {
  const key = { team_id: teamId, source_id: sourceId, slow_seconds: slowSeconds };
  return (await one(main, 'slow_spells', key, ['since']))?.since ?? null;
}
