import type { Database } from '../database/database.ts';

/** What is still to be told to somebody, over all teams. */
export interface Outbox {
  /** `oldestMs`: since the run ended whose callback it is. */
  callbacks: Waiting;
  /** `oldestMs`: since the first try that failed, of the notice that has been tried for longest. */
  notices: Waiting;
}

interface Waiting {
  count: number;
  /** 0 where nothing waits, or was tried. */
  oldestMs: number;
}

/** Counts callbacks and notices that wait. Costs as much as there is; ask seldom. */
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
