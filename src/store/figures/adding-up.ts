import type { Clock } from '#domain/clock';
import type { Database } from '../database/database.ts';
import { preparedStatement } from '../database/prepared.ts';
import { addUpCounts } from './add-up-counts.ts';
import { wasLockedOut } from '../database/errors.ts';
import { GroupCommit } from '../database/group-commit.ts';
import { SweepStart } from './sweep-start.ts';

interface BatchOfTeam {
  id: number;
  team_id: string;
}

/** All of one step. */
interface CountsOfTeam {
  teamId: string;
  firstId: number;
  lastId: number;
}

/** $1 the first id, $2 limit */
const findCounts = preparedStatement<BatchOfTeam>(
  'find-batch-counts',
  ({ $ }) => `select id, team_id from batch_counts where id >= ${$(1)} order by id limit ${$(2)}`,
);

const findLastId = preparedStatement<{ id: number }>(
  'find-last-batch-counts',
  ({ lastNumberOf }) => `select ${lastNumberOf('batch_counts')} as id`,
);

/** `more`: the step was full. `later`: some rows were left. `nothing`: as far as this process can see. */
export type Rest = 'more' | 'later' | 'nothing';

/** Reads must include rows that aren't added up yet. */
export class BatchCountStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #teams: GroupCommit<CountsOfTeam, null>;
  /** Null before the first sweep, and on SQLite, which has no out-of-order visibility and no dead index entries. */
  #start: SweepStart | null = null;
  /** Where the running sweep continues; null if none is running. */
  #next: number | null = null;
  readonly #leftTeams = new Set<string>();

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    const write = async (counts: readonly CountsOfTeam[]) => {
      const [{ firstId, lastId } = { firstId: 0, lastId: 0 }] = counts;
      const teamIds = counts.map(({ teamId }) => teamId);
      await db.perform(addUpCounts, { teamIds, firstId, lastId });
      return counts.map(() => null);
    };
    this.#teams = new GroupCommit(write, { maxBatch: Infinity, teamOf: ({ teamId }) => teamId });
  }

  /**
   * The oldest batches first. A team with a locked counter is left for a later sweep. The next sweep begins where a
   * failed one stopped.
   */
  async addUp(limit: number): Promise<Rest> {
    const firstId = this.#next ?? (await this.#begin());
    this.#next = null;
    try {
      const rows = await this.#takeStep(firstId, limit);
      const lastId = rows.at(-1)?.id;
      if (rows.length === limit && lastId !== undefined) {
        this.#next = lastId + 1;
        return 'more';
      }
      this.#start?.end(lastId ?? firstId);
    } catch (error) {
      this.#start?.fail();
      throw error;
    }
    return this.#start?.isSomethingLeft === true ? 'later' : 'nothing';
  }

  async #begin(): Promise<number> {
    this.#leftTeams.clear();
    if (!this.#db.dialect.keepsDeadRows) return 0;
    this.#start ??= new SweepStart(this.#clock, await this.#readLastId());
    return this.#start.begin();
  }

  async #readLastId(): Promise<number> {
    const [row] = await this.#db.read(findLastId, []);
    return row?.id ?? 0;
  }

  async #takeStep(fromId: number, limit: number): Promise<BatchOfTeam[]> {
    const rows = await this.#db.read(findCounts, [fromId, limit]);
    const [firstId, lastId] = [rows.at(0)?.id, rows.at(-1)?.id];
    if (firstId === undefined || lastId === undefined) return rows;
    const teams = [...new Set(rows.map(({ team_id }) => team_id))]
      .filter((id) => !this.#leftTeams.has(id))
      .toSorted();
    const added = teams.map((teamId) => this.#teams.add({ teamId, firstId, lastId }));
    for (const [n, outcome] of (await Promise.allSettled(added)).entries()) {
      if (outcome.status === 'fulfilled') continue;
      if (!wasLockedOut(outcome.reason)) throw outcome.reason;
      this.#leftTeams.add(teams[n] ?? '');
    }
    if (rows.some(({ team_id }) => this.#leftTeams.has(team_id))) this.#start?.leave();
    return rows;
  }
}
