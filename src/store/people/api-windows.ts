import { countInWindow, type CountingWindow } from './counting-window.ts';
import type { Context } from '../database/context.ts';

const countHit = countInWindow('count-api-hit', 'api_windows', 'address');

/** Requests per client address, shared by all nodes on one Postgres (§8.1). */
export const apiWindows = {
  /** Counts one request in the address's window, opening a new one where the last is over. */
  async countHit(
    { main }: Context,
    address: string,
    now: number,
    lengthMs: number,
  ): Promise<CountingWindow> {
    return countHit(main, address, now, lengthMs);
  },

  /** Deletes windows that are over. */
  async deleteClosed({ main }: Context, now: number, lengthMs: number): Promise<void> {
    await main.transact((trx) =>
      trx
        .deleteFrom('api_windows')
        .where('opened_at', '<=', now - lengthMs)
        .execute(),
    );
  },
};
