import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';

const LOG_EVERY_MS = 10_000;

/**
 * Logs refused calls: the first at once, then a count every ten seconds. A line for each would fill a disk that is
 * full already.
 */
export function createUnavailableLog(clock: Clock, log: Log): (error: Error) => void {
  let refused = 0;
  let isWaiting = false;
  const report = (error: string) => {
    log.warn('api.unavailable', { refused, error });
    refused = 0;
    isWaiting = true;
    clock.after(LOG_EVERY_MS, () => {
      isWaiting = false;
      if (refused > 0) report(error);
    });
  };
  return ({ message }) => {
    refused++;
    if (!isWaiting) report(message);
  };
}
