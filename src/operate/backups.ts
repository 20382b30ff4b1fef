import { HOUR_MS } from '#domain/base/instant';
import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import { Repeating } from '#domain/base/repeating';
import { backUpOnThread, findNewestBackup, listBackups, type RunningBackup } from '#store/backups';

interface BackupsOptions {
  databasePath: string;
  folder: string;
  everyHours: number;
  keep: number;
  clock: Clock;
  log: Log;
}

/** Existing copies determine the next one, so a restart makes none too early and skips none. */
export function createBackups({
  databasePath,
  folder,
  everyHours,
  keep,
  clock,
  log,
}: BackupsOptions) {
  let running: RunningBackup | null = null;

  const make = async () => {
    running = backUpOnThread({ databasePath, folder, keep, now: clock.now() });
    const made = await running.made;
    if (made.kind === 'done') {
      log.info('backup.made', { file: made.path, bytes: made.bytes });
    } else {
      const reason = 'reason' in made ? made.reason : made.kind;
      log.error('backup.failed', { file: made.path, error: reason });
    }
  };
  // Looks at least every hour: a timer can't wait for a month, and stops while the machine sleeps.
  const repeating: Repeating = new Repeating(clock, log, null, async () => {
    try {
      const now = clock.now();
      const newest = findNewestBackup(listBackups(folder), now);
      const inMs = newest ? newest.at + everyHours * HOUR_MS - now : 0;
      if (inMs > 0) return Math.min(inMs, HOUR_MS);
      await make();
    } catch (error) {
      if (!repeating.isStopped) log.error('backup.failed', { error: (error as Error).message });
    }
    return HOUR_MS;
  });
  return {
    start: () => repeating.start(),
    stop: async () => {
      const stopped = repeating.stop();
      await running?.cancel();
      await stopped;
    },
  };
}
