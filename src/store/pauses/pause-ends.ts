import { nextRunAfter } from '#domain/cron';
import { PAUSE_ENDED } from '#domain/pause';
import { recordBySystem } from '../activity/activity.ts';
import { endPauseOfCron } from '../crons/crons.ts';
import { teamPauses } from '../crons/team-pauses.ts';
import type { Context } from '../database/context.ts';
import { forEachUnlocked, limitLockWaits } from '../database/locked-teams.ts';
import type { Signal } from '../database/signals.ts';
import { above, all, atMost, change, one } from '../database/rows.ts';

/** Of a kind, in one look. */
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

/** Pauses until a time. Each ends once, in one transaction with its entry in the activity, on any number of nodes. */
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
  await teamPauses.end(context, id, now, (expression) => nextRunAfter(expression, now));
}

async function endOfQueue(context: Context, { team_id, id }: Ending, now: number): Promise<void> {
  const isEnded = await context.main.transact(async (trx) => {
    await limitLockWaits(trx);
    const key = { team_id, id };
    const resumed = { is_paused: 0, paused_until: null } as const;
    if ((await change(trx, 'queues', { ...key, paused_until: atMost(now) }, resumed)) === 0)
      return false;
    const queue = await one(trx, 'queues', key, ['name']);
    const subject = { id, name: queue?.name ?? '' };
    await recordBySystem(
      trx,
      team_id,
      { action: 'queue.resumed', subject, detail: PAUSE_ENDED },
      now,
    );
    return true;
  });
  send(context, isEnded, { kind: 'queue-changed', queueId: id, teamId: team_id });
}

async function endOfCron(context: Context, { team_id, id }: Ending, now: number): Promise<void> {
  const cron = await context.main.transact(async (trx) => {
    await limitLockWaits(trx);
    const started = await endPauseOfCron(trx, team_id, id, now);
    if (started === null) return null;
    const subject = { id, name: started.name };
    await recordBySystem(
      trx,
      team_id,
      { action: 'cron.started', subject, detail: PAUSE_ENDED },
      now,
    );
    return started;
  });
  const dueAt = cron?.next_run_at ?? null;
  if (dueAt !== null) send(context, true, { kind: 'team-due', teamId: team_id, dueAt });
}

function send({ signals }: Context, isEnded: boolean, signal: Signal): void {
  if (isEnded) signals.send([signal]);
}
