import {
  type ActivityAction,
  type ActivityEntry,
  type Doer,
  isNamedDoer,
  NAMED_DOERS,
} from '#domain/team/activity';
import { nameUser } from '#domain/team/actors';
import { newId } from '#domain/base/ids';
import type { Row } from '../tables/tables.ts';
import type { Trx } from '../database/database.ts';
import { LAST_TIME } from '#domain/base/instant';
import { above, add, all, below, one, within } from '../database/rows.ts';
import { type RecordOf, toRecord } from '../database/records.ts';
import type { Context } from '../database/context.ts';

const COLUMNS = ['id', 'at', 'actor_id', 'actor', 'action', 'detail'] as const;

export interface Activity extends RecordOf<Pick<Row<'activity'>, (typeof COLUMNS)[number]>> {
  /** By its name at that time. `id` is null for things without one. */
  subject: { id: string | null; name: string } | null;
}

export interface ActivityFilter {
  actions?: readonly ActivityAction[];
  actorId?: string;
  subjectId?: string;
  /** From inclusive, to exclusive. */
  from?: number;
  to?: number;
  before?: string;
  /** The previous page: after this id. */
  after?: string;
  limit: number;
}

export const LONGEST_DETAIL = 500;
/** A sign-in stays quick. */
const MOST_TEAMS = 50;

/** Rows are only inserted and expire (§5.10). */
export const activity = {
  async record(
    { main }: Context,
    teamId: string,
    doer: Doer,
    entries: ActivityEntry | readonly ActivityEntry[],
    now: number,
  ): Promise<void> {
    await main.transact(async (trx) => {
      const named = await nameDoer(trx, doer);
      const rows = [entries].flat().map((entry) => rowOf(teamId, named, entry, now));
      await add(trx, 'activity', rows);
    });
  },

  /** In each team of the user, `MOST_TEAMS` at most. */
  async recordOfUser(
    { main }: Context,
    userId: string,
    doer: Doer,
    entry: ActivityEntry,
    now: number,
  ): Promise<void> {
    await main.transact(async (trx) => {
      const asked = { columns: ['team_id'], limit: MOST_TEAMS } as const;
      const teams = await all(trx, 'memberships', { user_id: userId }, asked);
      const named = await nameDoer(trx, doer);
      const rows = teams.map(({ team_id }) => rowOf(team_id, named, entry, now));
      await add(trx, 'activity', rows);
    });
  },

  /** Newest first. */
  async list({ searches }: Context, teamId: string, filter: ActivityFilter): Promise<Activity[]> {
    const { actions, actorId, subjectId, from, to, before, after, limit } = filter;
    const named = actorId !== undefined && isNamedDoer(actorId) ? NAMED_DOERS[actorId] : undefined;
    const wanted = {
      team_id: teamId,
      action: actions,
      actor_id: named === undefined ? actorId : null,
      actor: named,
      subject_id: subjectId,
      at: (from ?? to) === undefined ? undefined : within(from ?? 0, to ?? LAST_TIME),
      id: after === undefined ? before && below(before) : above(after),
    };
    const order = [after === undefined ? 'id desc' : 'id'] as const;
    const rows = await all(searches, 'activity', wanted, { order, limit });
    const found = rows.map(activityOf);
    return after === undefined ? found : found.toReversed();
  },
};

/** Records an automatic change in that change's transaction. */
export async function recordBySystem(
  trx: Trx,
  teamId: string,
  entry: ActivityEntry,
  now: number,
): Promise<void> {
  await add(trx, 'activity', rowOf(teamId, await nameDoer(trx, 'system'), entry, now));
}

type DoerColumns = Pick<Row<'activity'>, 'actor_id' | 'actor'>;

async function nameDoer(trx: Trx, doer: Doer): Promise<DoerColumns> {
  if (typeof doer === 'string') return { actor_id: null, actor: NAMED_DOERS[doer] };
  const user = await one(trx, 'users', { id: doer.userId }, ['name', 'email']);
  const actor = user ? nameUser(user) : 'A deleted account';
  return { actor_id: doer.userId, actor };
}

function rowOf(
  teamId: string,
  doer: DoerColumns,
  { action, subject, detail }: ActivityEntry,
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

function activityOf(row: Row<'activity'>): Activity {
  const { subject, subject_id: id } = row;
  return { ...toRecord(row, COLUMNS), subject: subject === null ? null : { id, name: subject } };
}
