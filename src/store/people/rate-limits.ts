import { countInWindows, type CountingWindow } from './counting-window.ts';
import type { Context } from '../database/context.ts';
import { atMost, below, remove } from '../database/rows.ts';

const countTries = countInWindows('count-attempt', 'attempt_windows', 'key');

/** Counts of tries of limited actions, such as signing in; shared by all nodes. */
export const rateLimits = {
  /** Counts one try in the key's window, and opens a new window if the last one has ended. */
  async count(
    { main }: Context,
    key: string,
    now: number,
    lengthMs: number,
  ): Promise<CountingWindow> {
    const [window] = await countTries(main, [key], now, lengthMs);
    return window as CountingWindow;
  },

  /** Takes one try back, because it was no wrong guess. */
  async takeBack({ main }: Context, key: string): Promise<void> {
    await main.transact((trx) =>
      trx
        .updateTable('attempt_windows')
        .set((eb) => ({ hits: eb('hits', '-', 1) }))
        .where('key', '=', key)
        .where('hits', '>', 0)
        .execute(),
    );
  },

  /** Deletes windows opened before `before`, and sessions, one-time tokens and invitations that expired by `now`. */
  async tidy({ main }: Context, before: number, now: number): Promise<void> {
    await main.transact(async (trx) => {
      await remove(trx, 'attempt_windows', { opened_at: below(before) });
      await remove(trx, 'sessions', { expires_at: atMost(now) });
      await remove(trx, 'one_time_tokens', { expires_at: atMost(now) });
      await remove(trx, 'invitations', { expires_at: atMost(now) });
    });
  },
};
