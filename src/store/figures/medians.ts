import { estimateQuantile } from '#domain/runs/duration-histogram';
import { LEAST_TIMED, MEDIAN_DAYS } from '#domain/alerts/slow-runs';
import type { Database } from '../database/database.ts';
import { packRows, SOURCES } from '../database/dialect.ts';
import { preparedStatement } from '../database/prepared.ts';
import { countsOf } from './durations.ts';
import { DAY_MS, HOUR_MS } from '#domain/base/instant';

/** A median of days hardly changes in minutes. */
const KEPT_MS = 300_000;
const MOST_KEPT = 10_000;

interface Source {
  teamId: string;
  sourceId: string;
}

/** $1 `SOURCES`, $2 from hour */
const readSteps = preparedStatement<{ source_id: string; step: number; runs: number }>(
  'read-duration-steps',
  (dialect) => {
    const countsOf = (table: string) => `
      select given.source_id, d.step, d.runs from ${dialect.rows(SOURCES, 1)} cross join ${table} d
      where ${dialect.hasKeyOf('d', 'given', ['team_id', 'source_id'])}
        and d.hour >= ${dialect.$(2)} and d.outcome = 'success' and d.step is not null`;
    return `
  select source_id, step, cast(sum(runs) as bigint) as runs
  from (${countsOf('duration_hours')} union all ${countsOf('batch_counts')}) as counts
  group by source_id, step`;
  },
);

export type FindMedians = ReturnType<typeof medians>;

/** @returns finds those of the last days, within about a tenth; null if there are too few runs */
export function medians(db: Database) {
  const kept = new Map<string, { medianMs: number | null; until: number }>();
  return async (sources: readonly Source[], now: number) => {
    const found = new Map<string, number | null>();
    const unknown = new Map<string, Source>();
    for (const source of sources) {
      const known = kept.get(source.sourceId);
      const isFresh = known && now < known.until && now >= known.until - KEPT_MS;
      if (isFresh) found.set(source.sourceId, known.medianMs);
      else unknown.set(source.sourceId, source);
    }
    if (unknown.size === 0) return found;
    const given = [...unknown.values()].map(({ teamId: team_id, sourceId: source_id }) => {
      return { team_id, source_id };
    });
    const from = now - MEDIAN_DAYS * DAY_MS;
    const rows = await db.read(readSteps, [packRows(SOURCES, given), from - (from % HOUR_MS)]);
    const steps = Map.groupBy(rows, ({ source_id }) => source_id);
    if (kept.size + unknown.size > MOST_KEPT) kept.clear();
    for (const sourceId of unknown.keys()) {
      const medianMs = medianOf(steps.get(sourceId) ?? []);
      kept.set(sourceId, { medianMs, until: now + KEPT_MS });
      found.set(sourceId, medianMs);
    }
    return found;
  };
}

function medianOf(rows: readonly { step: number; runs: number }[]): number | null {
  const counts = countsOf(rows);
  const runs = counts.reduce((sum, each) => sum + each, 0);
  return runs < LEAST_TIMED ? null : estimateQuantile(counts, 0.5);
}
