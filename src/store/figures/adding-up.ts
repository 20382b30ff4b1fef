import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';
import { preparedStatement, runPrepared } from '../database/prepared.ts';
import { addUpCounts as onPostgres } from '../postgres/add-up-counts.ts';
import { addUpCounts as onSqlite } from '../sqlite/add-up-counts.ts';
import { HeldTeams } from '../runs/held-teams.ts';
import { SweepStart } from './sweep-start.ts';

const ADD_UP = { postgres: onPostgres, sqlite: onSqlite };

/** Parameters: 1 the first id, 2 how many */
const findCounts = preparedStatement<{ id: number; team_id: string }>(
  'find-batch-counts',
  ({ $ }) => `select id, team_id from batch_counts where id >= ${$(1)} order by id limit ${$(2)}`,
);

/**
 * Adds the counts of batches to those by the hour. Whoever reads counts by the hour adds what is not added up yet, so
 * a count is exact at any time.
 */
export class BatchCountStore {
  readonly #db: Database;
  readonly #heldTeams = new HeldTeams<string>((teamId) => teamId);
  readonly #start: SweepStart;
  /** Where the sweep under way goes on; null where none is. */
  #next: number | null = null;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#start = new SweepStart(clock);
  }

  /**
   * Adds up some counts, those of the oldest batches first. A team of which somebody holds a counter is left for the
   * next sweep, and does not delay the others.
   *
   * @param limit  the most rows
   * @returns how many were looked at; with `limit` of them there may be more
   */
  async addUp(limit: number): Promise<number> {
    const firstId = this.#next ?? this.#firstOfSweep();
    const rows = await this.#db.read((db) =>
      runPrepared(db, this.#db.dialect, findCounts, [firstId, limit]),
    );
    const lastId = rows.at(-1)?.id;
    if (lastId !== undefined) {
      const teams = [...new Set(rows.map(({ team_id }) => team_id))].toSorted();
      await this.#heldTeams.write(teams, async (teamIds) => {
        await this.#db.perform(ADD_UP, { teamIds, firstId, lastId });
        return teamIds;
      });
    }
    const isMore = rows.length === limit && lastId !== undefined;
    this.#next = isMore ? lastId + 1 : null;
    if (!isMore) this.#start.end(lastId ?? firstId);
    return rows.length;
  }

  /** SQLite gives numbers anew, and keeps no entries of deleted rows. */
  #firstOfSweep(): number {
    return this.#db.dialect.isShared ? this.#start.begin() : 0;
  }
}
