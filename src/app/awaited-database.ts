import { type Clock, pause } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import { isServerAway } from '#store/database/errors';

const TRY_EVERY_MS = 1_000;
const LOG_EVERY_MS = 60_000;

interface WaitOptions {
  clock: Clock;
  log: Log;
  onAway: () => Promise<void>;
}

/**
 * After a reboot the server may start later. Logs the reason at once and every minute. Rejects if the server refuses.
 */
export async function openWhenThere<Opened>(
  open: () => Promise<Opened>,
  { clock, log, onAway }: WaitOptions,
): Promise<Opened> {
  let loggedAtMs = -Infinity;
  for (;;) {
    try {
      return await open();
    } catch (fault) {
      if (!isServerAway(fault)) throw fault;
      if (clock.monotonicMs() - loggedAtMs >= LOG_EVERY_MS) {
        loggedAtMs = clock.monotonicMs();
        log.warn('database.awaited', { error: (fault as Error).message });
      }
    }
    await onAway();
    await pause(clock, TRY_EVERY_MS);
  }
}
