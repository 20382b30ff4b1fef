import { type Clock, pause } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import { StoreError, type StoreErrorCode } from '#store/database/errors';

interface Tools {
  clock: Clock;
  log: Log;
}

const PAUSES_MS = [50, 100, 250, 500, 1000, 2000];

/** The first try and about one a minute: many runs may wait for the same database. */
const LOGGED_TRIES = 30;

/** The store rejects the data itself. All other errors are temporary. */
const REFUSALS: ReadonlySet<StoreErrorCode> = new Set(['STORE_REFUSED', 'STORE_FAULT']);

/** A refusal may turn out to be temporary. */
const REFUSALS_A_WAY = 3;

/** The first one keeps most. */
export type Ways<T> = readonly [() => Promise<T>, ...(() => Promise<T>)[]];

/**
 * Stores an outcome, however long the database is down. If the store refuses the content, the next way keeps less. The
 * last way is tried until it succeeds.
 */
export function untilStored<T>(tools: Tools, ways: Ways<T>): Promise<T> {
  return ways[0]().catch((error: unknown) => storeAgain(tools, ways, error));
}

export async function storeAgain<T>(
  { clock, log }: Tools,
  ways: Ways<T>,
  error: unknown,
): Promise<T> {
  let fault = error;
  let refusals = 0;
  for (let tries = 0; ; tries++) {
    const { code, message } = fault as { code?: string; message: string };
    if (tries % LOGGED_TRIES === 0) log.error('attempt.not-stored', { code, error: message });
    if (isRefusal(fault)) refusals++;
    const write = ways[Math.min(Math.floor(refusals / REFUSALS_A_WAY), ways.length - 1)] ?? ways[0];
    await pause(clock, PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 2000);
    try {
      return await write();
    } catch (again) {
      fault = again;
    }
  }
}

function isRefusal(error: unknown): boolean {
  return !(error instanceof StoreError) || REFUSALS.has(error.code);
}
