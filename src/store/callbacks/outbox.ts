import type { Database } from '../database/database.ts';

export interface Outbox {
  /** Since the end of the run. */
  callbacks: Waiting;
  /** Since the first failed try. */
  notices: Waiting;
}

interface Waiting {
  count: number;
  /** 0 if nothing waits, or no notice was tried. */
  oldestMs: number;
}

/** The cost grows with their number. */
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
