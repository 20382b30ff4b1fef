import type { Database } from '../database/database.ts';

export interface Outbox {
  /** Since the end of the run. */
  callbacks: Waiting;
  /** Notifications, since the first failed try. Both names are values of the metrics' label `of`. */
  notices: Waiting;
}

interface Waiting {
  count: number;
  /** 0 if nothing waits, or no notification was tried. */
  oldestMs: number;
}

/** The cost grows with their number. */
export async function readOutbox(db: Database, now: number): Promise<Outbox> {
  const ageOf = (since: number | null) => Math.max(0, now - (since ?? now));
  const [callbacks, notifications] = await db.read((reader) =>
    Promise.all([
      reader
        .selectFrom('callbacks')
        .select((eb) => [
          eb.fn.countAll<number>().as('count'),
          eb.fn.min<number | null>('created_at').as('oldest'),
        ])
        .executeTakeFirstOrThrow(),
      reader
        .selectFrom('notifications')
        .select((eb) => [
          eb.fn.countAll<number>().as('count'),
          eb.fn.min<number | null>('first_tried_at').as('oldest'),
        ])
        .executeTakeFirstOrThrow(),
    ]),
  );
  return {
    callbacks: { count: callbacks.count, oldestMs: ageOf(callbacks.oldest) },
    notices: { count: notifications.count, oldestMs: ageOf(notifications.oldest) },
  };
}
