import type { Context } from '../database/context.ts';
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
export function batchCounts({ main: db, clock }: Context) {
  const write = async (counts: readonly CountsOfTeam[]) => {
    const [{ firstId, lastId } = { firstId: 0, lastId: 0 }] = counts;
    const teamIds = counts.map(({ teamId }) => teamId);
    await db.perform(addUpCounts, { teamIds, firstId, lastId });
    return counts.map(() => null);
  };
  const adding = new GroupCommit(write, { maxBatch: Infinity, teamOf: ({ teamId }) => teamId });
  /** Null before the first sweep, and on SQLite, which has no out-of-order visibility and no dead index entries. */
  let start: SweepStart | null = null;
  /** Where the running sweep continues; null if none is running. */
  let nextId: number | null = null;
  const leftTeams = new Set<string>();

  const begin = async () => {
    leftTeams.clear();
    if (!db.dialect.keepsDeadRows) return 0;
    start ??= new SweepStart(clock, (await db.read(findLastId, []))[0]?.id ?? 0);
    return start.begin();
  };

  const takeStep = async (fromId: number, limit: number) => {
    const rows = await db.read(findCounts, [fromId, limit]);
    const [firstId, lastId] = [rows.at(0)?.id, rows.at(-1)?.id];
    if (firstId === undefined || lastId === undefined) return rows;
    const teams = [...new Set(rows.map(({ team_id }) => team_id))]
      .filter((id) => !leftTeams.has(id))
      .toSorted();
    const added = teams.map((teamId) => adding.add({ teamId, firstId, lastId }));
    for (const [n, outcome] of (await Promise.allSettled(added)).entries()) {
      if (outcome.status === 'fulfilled') continue;
      if (!wasLockedOut(outcome.reason)) throw outcome.reason;
      leftTeams.add(teams[n] ?? '');
    }
    return rows;
  };

  return {
    /** The oldest batches first. A team with a locked counter is left for a later sweep. */
    async addUp(limit: number): Promise<Rest> {
      const firstId = nextId ?? (await begin());
      nextId = null;
      const rows = await takeStep(firstId, limit);
      const lastId = rows.at(-1)?.id;
      if (rows.length === limit && lastId !== undefined) {
        nextId = lastId + 1;
        return 'more';
      }
      start?.end(lastId ?? firstId, leftTeams.size > 0);
      return start?.isSomethingLeft === true ? 'later' : 'nothing';
    },
  };
}
