import { newId } from '#domain/ids';
import { MOST_RUN_FILTERS } from '#domain/run-filter';
import type { Database, Trx } from '../database/database.ts';
import { takeTurn } from '../people/team-turn.ts';

/** What a team narrows the list of runs to, by a name that it has once. */
export interface RunFilter {
  id: string;
  name: string;
  /** As it stands in the address of the page, without times. */
  query: string;
}

/** Saved filters of the list of runs, at most `MOST_RUN_FILTERS` of a team. */
export class RunFilterStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** By name. */
  async list(teamId: string): Promise<RunFilter[]> {
    return this.#db.read((db) =>
      db
        .selectFrom('run_filters')
        .select(['id', 'name', 'query'])
        .where('team_id', '=', teamId)
        .orderBy('name')
        .execute(),
    );
  }

  /** Saves one, in the place of the one of that name if there is one. Null: the team has as many as it may have. */
  async save(
    teamId: string,
    { name, query }: Omit<RunFilter, 'id'>,
    now: number,
  ): Promise<{ filter: RunFilter; isNew: boolean } | null> {
    return this.#db.transact(async (trx) => {
      await takeTurn(trx, this.#db.dialect, teamId);
      const row = await trx
        .updateTable('run_filters')
        .set({ query })
        .where('team_id', '=', teamId)
        .where('name', '=', name)
        .returning('id')
        .executeTakeFirst();
      if (row) return { filter: { id: row.id, name, query }, isNew: false };
      if ((await count(trx, teamId)) >= MOST_RUN_FILTERS) return null;
      const id = newId(now);
      await trx
        .insertInto('run_filters')
        .values({ team_id: teamId, id, name, query, created_at: now })
        .execute();
      return { filter: { id, name, query }, isNew: true };
    });
  }

  async rename(
    teamId: string,
    id: string,
    name: string,
  ): Promise<'done' | 'not-found' | 'name-taken'> {
    return this.#db.transact(async (trx) => {
      await takeTurn(trx, this.#db.dialect, teamId);
      const other = await trx
        .selectFrom('run_filters')
        .select('id')
        .where('team_id', '=', teamId)
        .where('name', '=', name)
        .where('id', '<>', id)
        .executeTakeFirst();
      if (other) return 'name-taken';
      const row = await trx
        .updateTable('run_filters')
        .set({ name })
        .where('team_id', '=', teamId)
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row ? 'done' : 'not-found';
    });
  }

  /** False: no such filter. */
  async delete(teamId: string, id: string): Promise<boolean> {
    return this.#db.transact(async (trx) => {
      const row = await trx
        .deleteFrom('run_filters')
        .where('team_id', '=', teamId)
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    });
  }
}

async function count(trx: Trx, teamId: string): Promise<number> {
  const { n } = await trx
    .selectFrom('run_filters')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  return n;
}
