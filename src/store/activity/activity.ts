import { type ActivityAction, type Deed, type Doer } from '#domain/activity';
import { newId } from '#domain/ids';
import type { Row } from '../tables/tables.ts';
import type { Trx } from '../database/database.ts';
import { add, all, one } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

/** A recorded action of a person. */
export interface Activity {
  id: string;
  at: number;
  /** Null: the operator at the command line. */
  actorId: string | null;
  /** The person's name and email at that time. */
  actor: string;
  /** An `ActivityAction`, or an action of a newer version. */
  action: string;
  /** The thing that was changed, by its name at that time. `id` is null for things without one. */
  subject: { id: string | null; name: string } | null;
  detail: string | null;
}

export interface ActivityFilter {
  actions?: readonly ActivityAction[];
  /** A user's id, or `command-line`. */
  actorId?: string;
  subjectId?: string;
  /** Milliseconds: from (inclusive), to (exclusive). */
  from?: number;
  to?: number;
  /** Only actions before the one of this id: the next page. */
  before?: string;
  /** Only the nearest actions after the one of this id: the page before. */
  after?: string;
  limit: number;
}

export const LONGEST_DETAIL = 500;
const COMMAND_LINE = 'command-line' satisfies Doer;
/** The most teams in which one action of a user is recorded, so that a sign-in stays quick. */
const MOST_TEAMS = 50;

/** The actions of people in a team (§5.10). Rows are only inserted, and deleted when they are old. */
export const activity = {
  /** Records one or some hundreds of actions of a person in a team. */
  async record(
    { main }: Context,
    teamId: string,
    doer: Doer,
    deeds: Deed | readonly Deed[],
    now: number,
  ): Promise<void> {
    await main.transact(async (trx) => {
      const named = await nameDoer(trx, doer);
      await insert(
        trx,
        [deeds].flat().map((deed) => rowOf(teamId, named, deed, now)),
      );
    });
  },

  /** Records a user's action on their own account in each team that they are in, `MOST_TEAMS` at most. */
  async recordOfUser(
    { main }: Context,
    userId: string,
    doer: Doer,
    deed: Deed,
    now: number,
  ): Promise<void> {
    await main.transact(async (trx) => {
      const teams = await all(
        trx,
        'memberships',
        { user_id: userId },
        { columns: ['team_id'], limit: MOST_TEAMS },
      );
      const named = await nameDoer(trx, doer);
      await insert(
        trx,
        teams.map(({ team_id }) => rowOf(team_id, named, deed, now)),
      );
    });
  },

  /** Newest first. */
  async list({ searches }: Context, teamId: string, filter: ActivityFilter): Promise<Activity[]> {
    const { actions, actorId, subjectId, from, to, before, after, limit } = filter;
    const rows = await searches.read((db) => {
      let query = db.selectFrom('activity').selectAll().where('team_id', '=', teamId);
      if (actions !== undefined) query = query.where('action', 'in', actions);
      if (actorId === COMMAND_LINE) query = query.where('actor_id', 'is', null);
      else if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
      if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
      if (from !== undefined) query = query.where('at', '>=', from);
      if (to !== undefined) query = query.where('at', '<', to);
      if (before !== undefined) query = query.where('id', '<', before);
      if (after !== undefined) query = query.where('id', '>', after);
      return query
        .orderBy('id', after === undefined ? 'desc' : 'asc')
        .limit(limit)
        .execute();
    });
    const found = rows.map(activityOf);
    return after === undefined ? found : found.toReversed();
  },
};

type NamedDoer = Pick<Row<'activity'>, 'actor_id' | 'actor'>;

async function nameDoer(trx: Trx, doer: Doer): Promise<NamedDoer> {
  if (doer === COMMAND_LINE) return { actor_id: null, actor: 'Command line' };
  const user = await one(trx, 'users', { id: doer.userId }, ['name', 'email']);
  const actor = user ? `${user.name} (${user.email})` : 'A deleted account';
  return { actor_id: doer.userId, actor };
}

function rowOf(
  teamId: string,
  doer: NamedDoer,
  { action, subject, detail }: Deed,
  now: number,
): Row<'activity'> {
  return {
    team_id: teamId,
    id: newId(now),
    at: now,
    ...doer,
    action,
    subject_id: subject?.id ?? null,
    subject: subject?.name ?? null,
    detail: detail?.slice(0, LONGEST_DETAIL) ?? null,
  };
}

async function insert(trx: Trx, rows: readonly Row<'activity'>[]): Promise<void> {
  if (rows.length > 0) await add(trx, 'activity', rows);
}

function activityOf(row: Row<'activity'>): Activity {
  const { id, at, subject, detail } = row;
  return {
    id,
    at,
    actorId: row.actor_id,
    actor: row.actor,
    action: row.action,
    subject: subject === null ? null : { id: row.subject_id, name: subject },
    detail,
  };
}
