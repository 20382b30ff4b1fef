import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { IS_PAUSED } from '../runs/due-jobs.ts';
import { type Outbox, readOutbox } from '../callbacks/outbox.ts';
import type { Context } from '../database/context.ts';

export type { Outbox };

/** The states of waiting jobs. `held`: due in a paused queue; `due`: waits only for a slot. */
export type WaitingState = 'due' | 'held' | 'scheduled';
export type BacklogState = WaitingState | 'processing';

export interface InState {
  count: number;
  /** The age of the oldest job in the state, in milliseconds since its due time or start; 0 if there is none. */
  oldestMs: number;
}

/** The unfinished jobs of all teams. `scheduled` jobs are never late, so their age is always 0. */
export type Backlog = Record<BacklogState, InState>;

export const backlog = {
  /** Counts the backlog from the indexes of waiting and running jobs. The cost grows with their number. */
  async read({ searches }: Context, now: number): Promise<Backlog> {
    return readBacklog(searches, now);
  },

  /** Counts callbacks and notices that wait to be sent. */
  async readOutbox({ searches }: Context, now: number): Promise<Outbox> {
    return readOutbox(searches, now);
  },
};

async function readBacklog(db: Database, now: number): Promise<Backlog> {
  const [waiting, running] = [await countWaiting(db, now), await countRunning(db)];
  const [active, paused] = [0, 1].map((isPaused) =>
    waiting.find(({ is_paused }) => is_paused === isPaused),
  );
  const scheduled = waiting.reduce((sum, { all, due }) => sum + all - due, 0);
  return {
    due: { count: active?.due ?? 0, oldestMs: ageOf(active?.oldest, now) },
    held: { count: paused?.due ?? 0, oldestMs: ageOf(paused?.oldest, now) },
    scheduled: { count: scheduled, oldestMs: 0 },
    processing: { count: running.all, oldestMs: ageOf(running.oldest, now) },
  };
}

function ageOf(since: number | null | undefined, now: number): number {
  return Math.max(0, now - (since ?? now));
}

/** Groups by queue first, so that each queue is looked up once and not once per job. */
async function countWaiting(db: Database, now: number) {
  return db.read((reader) =>
    reader
      .selectFrom((from) =>
        from
          .selectFrom('jobs')
          .select((eb) => [
            'queue_id',
            eb.fn.countAll<number>().as('all'),
            eb.fn
              .sum<number>(eb.case().when('scheduled_at', '<=', now).then(1).else(0).end())
              .as('due'),
            eb.fn.min('scheduled_at').as('oldest'),
          ])
          .where('status', '=', 'pending')
          .groupBy('queue_id')
          .as('waiting'),
      )
      .innerJoin('queues as q', 'q.id', 'waiting.queue_id')
      .innerJoin('teams as t', 't.id', 'q.team_id')
      .select((eb) => [
        sql<0 | 1>`${sql.raw(IS_PAUSED)}`.as('is_paused'),
        eb.cast<number>(eb.fn.sum('waiting.all'), 'bigint').as('all'),
        eb.cast<number>(eb.fn.sum('waiting.due'), 'bigint').as('due'),
        eb.fn.min('waiting.oldest').as('oldest'),
      ])
      .groupBy(sql`${sql.raw(IS_PAUSED)}`)
      .execute(),
  );
}

async function countRunning(db: Database) {
  return db.read((reader) =>
    reader
      .selectFrom('jobs')
      .select((eb) => [
        eb.fn.countAll<number>().as('all'),
        eb.fn.min<number | null>('started_at').as('oldest'),
      ])
      .where('status', '=', 'processing')
      .executeTakeFirstOrThrow(),
  );
}
