import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { RunEnd, StoredResponse } from '#store/settlement';

interface Tools {
  clock: Clock;
  log: Log;
  /** Whether this node's lease surely holds; once it is over the outcome is no longer ours to write. */
  isHeld: () => boolean;
}

const PAUSES_MS = [50, 100, 250, 500, 1000, 2000];

/**
 * Writes an outcome, trying again while the store is out of reach: the request has been made, and its
 * result must not be lost to a moment without a database. An outcome that the store refuses for what is
 * in it is written once more without the response, so that the run does not stay unfinished.
 *
 * @returns false where the claim was gone and nothing was changed
 */
export async function keepTrying<S extends { end: RunEnd; response: StoredResponse | null }>(
  { clock, log, isHeld }: Tools,
  settlement: S,
  settle: (settlement: S) => Promise<boolean>,
): Promise<boolean> {
  let each = settlement;
  for (let attempt = 0; ; attempt++) {
    try {
      return await settle(each);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      log.error('attempt.not-stored', { code, error: message });
      if (code !== 'STORE_UNAVAILABLE') {
        if (each !== settlement) throw error;
        each = withoutResponse(settlement);
      } else if (!isHeld()) {
        return false;
      }
      await pause(clock, PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 2000);
    }
  }
}

function withoutResponse<S extends { end: RunEnd; response: StoredResponse | null }>(
  settlement: S,
): S {
  return { ...settlement, response: null };
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
