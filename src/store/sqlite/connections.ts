import type { Connection, Connections } from '../database/connections.ts';
import { refuseSecondConnection } from '../database/nesting.ts';
import { threadsClockMs } from './protocol.ts';
import type { SqliteThread } from './thread.ts';

/**
 * One caller after the other, because a connection holds one transaction.
 *
 * @param thread always gives the same one; called with the first statement
 */
export function connectionOf(thread: () => SqliteThread): Connections {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async hold(work) {
      refuseSecondConnection();
      const askedAtMs = threadsClockMs();
      const done = last.then(() => work(connectionSince(thread, askedAtMs)));
      last = done.catch(() => {});
      return done;
    },
  };
}

/** @param askedAtMs subtracted from the wait for a locked file */
function connectionSince(thread: () => SqliteThread, askedAtMs: number): Connection {
  // The transaction begins with its first statement.
  let begins = false;
  return {
    async begin() {
      begins = true;
    },
    async run(text, parameters) {
      const asked = { begins, askedAtMs };
      begins = false;
      const isEnd = text === 'commit' || text === 'rollback';
      if (asked.begins && isEnd) return { rows: [], changes: 0 };
      return thread().run(text, parameters, isEnd ? {} : asked);
    },
  };
}
