import type { Database } from '../database/database.ts';

/** Callbacks and notices that wait to be sent, over all teams. */
export interface Outbox {
  /** `oldestMs`: the time since the end of the run whose callback has waited for longest. */
  callbacks: Waiting;
  /** `oldestMs`: the time since the first failed try of the notice that has been tried for longest. */
  notices: Waiting;
}

interface Waiting {
  count: number;
  /** Milliseconds; 0 where nothing waits, or for notices where none has been tried. */
  oldestMs: number;
}

/** Counts pending callbacks and notifications. The cost grows with their number. */
export async function readOutbox(db: Database, now: number): Promise<Outbox> {
  const ageOf = (since: number | null) => Math.max(0, now - (since ?? now));
  const [callbacks, notices] = await db.read((reader) =>
    Promise.all([
      reader
        .selectFrom('callbacks')
        .select((eb) => [
          eb.fn.countAll<number>().as('count'),
          eb.fn.min<number | null>('created_at').as('oldest'),
        ])
        .executeTakeFirstOrThrow(),
      reader
        .selectFrom('notices')
        .select((eb) => [
          eb.fn.countAll<number>().as('count'),
          eb.fn.min<number | null>('first_tried_at').as('oldest'),
        ])
        .executeTakeFirstOrThrow(),
    ]),
  );
  return {
    callbacks: { count: callbacks.count, oldestMs: ageOf(callbacks.oldest) },
    notices: { count: notices.count, oldestMs: ageOf(notices.oldest) },
  };
}
