import { PAUSE_ENDED } from '#domain/team/pause';
import { recordBySystem } from '../activity/activity.ts';
import { endPauseOfCron } from '../crons/crons.ts';
import { teamPauses } from '../crons/team-pauses.ts';
import type { Context } from '../database/context.ts';
import { forEachUnlocked, limitLockWaits } from '../database/locked-teams.ts';
import type { Trx } from '../database/database.ts';
import { above, all, atMost, change, one } from '../database/rows.ts';

const MOST = 100;

const CHOICE = {
  columns: ['team_id', 'id', 'paused_until'],
  order: ['paused_until'],
  limit: MOST,
} as const;
/** A condition on the index. */
const HAS_END = { paused_until: above(0) } as const;

interface Ending {
  team_id: string;
  id: string;
  paused_until: number | null;
}

/** Each pause ends once, in one transaction with its entry in the activity, across nodes. */
export const pauseEnds = {
  /** @returns when the next pause ends, which is past if some are left; null if none has an end */
  async endDue(context: Context, now: number): Promise<number | null> {
    const { main } = context;
    const kinds = [
      { rows: await readTeams(context), end: endOfTeam },
      { rows: await all(main, 'queues', HAS_END, CHOICE), end: endOfQueue },
      { rows: await all(main, 'crons', HAS_END, CHOICE), end: endOfCron },
    ];
    const lockedTeams = new Set<string>();
    const left: number[] = [];
    for (const { rows, end } of kinds) {
      const due = rows.filter(({ paused_until }) => (paused_until ?? now) <= now);
      await forEachUnlocked(due, (row) => end(context, row, now), lockedTeams);
      const later = due.length === MOST ? [now] : [];
      left.push(
        ...later,
        ...rows.flatMap((row) => (due.includes(row) ? [] : (row.paused_until ?? []))),
      );
    }
    return left.length === 0 ? null : Math.min(...left);
  },
};

async function readTeams({ main }: Context): Promise<Ending[]> {
  const columns = ['id', 'paused_until'] as const;
  const teams = await all(main, 'teams', { ...HAS_END, deleted_at: null }, { ...CHOICE, columns });
  return teams.map((team) => ({ team_id: team.id, id: team.id, paused_until: team.paused_until }));
}

async function endOfTeam(context: Context, { id }: Ending, now: number): Promise<void> {
  await teamPauses.end(context, id, now);
}

async function endOfQueue(context: Context, { team_id, id }: Ending, now: number): Promise<void> {
  const queue = await record(context, 'queue.resumed', { team_id, id }, now, async (trx) => {
    const key = { team_id, id };
    const resumed = { is_paused: 0, paused_until: null } as const;
    const ended = await change(trx, 'queues', { ...key, paused_until: atMost(now) }, resumed);
    return ended === 0 ? undefined : one(trx, 'queues', key, ['name']);
  });
  if (queue) context.signals.send([{ kind: 'queue-changed', queueId: id, teamId: team_id }]);
}

async function endOfCron(context: Context, { team_id, id }: Ending, now: number): Promise<void> {
  const cron = await record(context, 'cron.started', { team_id, id }, now, (trx) =>
    endPauseOfCron(trx, team_id, id, now),
  );
  const dueAt = cron?.next_run_at ?? null;
  if (dueAt !== null) context.signals.send([{ kind: 'team-due', teamId: team_id, dueAt }]);
}

/** @param end falsy: it hasn't expired */
function record<Ended extends { name: string }>(
  { main }: Context,
  action: 'queue.resumed' | 'cron.started',
  { team_id, id }: Omit<Ending, 'paused_until'>,
  now: number,
  end: (trx: Trx) => Promise<Ended | null | undefined>,
): Promise<Ended | null> {
  return main.transact(async (trx) => {
    await limitLockWaits(trx);
    const ended = await end(trx);
    if (!ended) return null;
    const entry = { action, subject: { id, name: ended.name }, detail: PAUSE_ENDED };
    await recordBySystem(trx, team_id, entry, now);
    return ended;
  });
}
