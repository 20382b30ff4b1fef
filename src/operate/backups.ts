import { HOUR_MS } from '#domain/instant';
import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import { backUpOnThread, listBackups, type RunningBackup } from '#store/backups';

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
  const everyMs = everyHours * HOUR_MS;
  let callOff = () => {};
  let running: RunningBackup | null = null;
  let isStopped = false;

  const start = () => {
    const [newest] = listBackups(folder);
    // If the newest copy is from the future, the wait is one interval at most.
    again(newest === undefined ? 0 : Math.min(newest.at + everyMs - clock.now(), everyMs));
  };
  /** At least every hour: a timer can't wait for a month, and stops while the machine sleeps. */
  const again = (inMs: number) => {
    if (isStopped) return;
    if (inMs > HOUR_MS) callOff = clock.after(HOUR_MS, start);
    else callOff = clock.after(Math.max(0, inMs), () => void make());
  };
  const make = async () => {
    let inMs = HOUR_MS;
    try {
      running = backUpOnThread({ databasePath, folder, keep, now: clock.now() });
      const made = await running.made;
      if (made.kind === 'done') {
        log.info('backup.made', { file: made.path, bytes: made.bytes });
        inMs = everyMs;
      } else {
        const reason = 'reason' in made ? made.reason : made.kind;
        log.error('backup.failed', { file: made.path, error: reason });
      }
    } catch (error) {
      if (!isStopped) log.error('backup.failed', { error: (error as Error).message });
    }
    running = null;
    again(inMs);
  };
  return {
    start,
    stop: async () => {
      isStopped = true;
      callOff();
      await running?.cancel();
    },
  };
}
