import { bind, type Context } from '../database/context.ts';
import { GroupCommit } from '../database/group-commit.ts';
import { countInWindows, type CountingWindow } from './counting-window.ts';
import { atMost, remove } from '../database/rows.ts';

const countHits = countInWindows('count-api-hits', 'api_windows', 'address');

interface ApiHit {
  address: string;
  now: number;
  lengthMs: number;
}

/** The hits of one statement. */
const MAX_BATCH = 1_000;

/** Requests per client address, shared by all nodes on one Postgres (§8.1). */
export function apiWindows(context: Context) {
  const counting = new GroupCommit(
    async (hits: readonly ApiHit[]) => {
      const { now, lengthMs } = hits.at(-1) as ApiHit;
      const addresses = hits.map(({ address }) => address);
      return countHits(context.main, addresses, now, lengthMs);
    },
    { maxBatch: MAX_BATCH },
  );
  return {
    ...bind(context, { deleteClosed }),
    /**
     * Counts one request in the address's window. Requests that arrive together share a commit: each commit locks the
     * rows of its addresses until it is flushed.
     */
    countHit: (address: string, now: number, lengthMs: number): Promise<CountingWindow> =>
      counting.add({ address, now, lengthMs }),
  };
}

/** Deletes windows that are over. */
async function deleteClosed({ main }: Context, now: number, lengthMs: number): Promise<void> {
  await remove(main, 'api_windows', { opened_at: atMost(now - lengthMs) });
}
