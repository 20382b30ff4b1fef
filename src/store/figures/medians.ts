import { DURATION_BOUNDS, estimateQuantile } from '#domain/duration-histogram';
import { LEAST_TIMED, MEDIAN_DAYS } from '#domain/slow-runs';
import type { Database } from '../database/database.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { durationCounts } from './durations.ts';
import { HOUR_MS } from './outcomes.ts';

const DAY_MS = 24 * HOUR_MS;
/** A median of days hardly moves in a few minutes. */
const KEPT_MS = 300_000;
const MOST_KEPT = 10_000;

/** Parameters as for `durationCounts` */
const readSteps = preparedStatement<{ step: number; runs: number }>(
  'read-duration-steps',
  (dialect) => `
  select step, cast(sum(runs) as bigint) as runs from ${durationCounts(dialect)}
  where outcome = 'success' group by step`,
);

/** How long successful runs of crons and queues usually take, remembered for some minutes. */
export class Medians {
  readonly #db: Database;
  readonly #known = new Map<string, { medianMs: number | null; until: number }>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Of the last days, in milliseconds, within about a tenth; null where there are too few runs. */
  async find(teamId: string, sourceId: string, now: number): Promise<number | null> {
    const known = this.#known.get(sourceId);
    if (known && now < known.until && now >= known.until - KEPT_MS) return known.medianMs;
    const from = now - MEDIAN_DAYS * DAY_MS;
    const parameters = [teamId, sourceId, from - (from % HOUR_MS)];
    const rows = await this.#db.read((db) =>
      runPrepared(db, this.#db.dialect, readSteps, parameters),
    );
    const medianMs = medianOf(rows);
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    this.#known.set(sourceId, { medianMs, until: now + KEPT_MS });
    return medianMs;
  }
}

function medianOf(rows: readonly { step: number; runs: number }[]): number | null {
  const runsOf = new Map(rows.map(({ step, runs }) => [step, runs]));
  const counts = Array.from({ length: DURATION_BOUNDS.length + 1 }, (_, n) => runsOf.get(n) ?? 0);
  const runs = counts.reduce((sum, each) => sum + each, 0);
  return runs < LEAST_TIMED ? null : estimateQuantile(counts, 0.5);
}
