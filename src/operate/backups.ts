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
export class Backups {
  readonly #options: BackupsOptions;
  #callOff: (() => void) | null = null;
  #running: RunningBackup | null = null;
  #stopped = false;

  constructor(options: BackupsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, folder, everyHours } = this.#options;
    const [newest] = listBackups(folder);
    const everyMs = everyHours * HOUR_MS;
    // If the newest copy is from the future, the wait is one interval at most.
    const inMs = newest === undefined ? 0 : Math.min(newest.at + everyMs - clock.now(), everyMs);
    this.#again(inMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    await this.#running?.cancel();
  }

  /** At least every hour: a timer can't wait for a month, and stops while the machine sleeps. */
  #again(inMs: number): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    if (inMs > HOUR_MS) this.#callOff = clock.after(HOUR_MS, () => this.start());
    else this.#callOff = clock.after(Math.max(0, inMs), () => void this.#make());
  }

  async #make(): Promise<void> {
    const { databasePath, folder, keep, clock, log, everyHours } = this.#options;
    let inMs = HOUR_MS;
    try {
      this.#running = backUpOnThread({ databasePath, folder, keep, now: clock.now() });
      const made = await this.#running.made;
      if (made.kind === 'done') {
        log.info('backup.made', { file: made.path, bytes: made.bytes });
        inMs = everyHours * HOUR_MS;
      } else {
        const reason = 'reason' in made ? made.reason : made.kind;
        log.error('backup.failed', { file: made.path, error: reason });
      }
    } catch (error) {
      if (!this.#stopped) log.error('backup.failed', { error: (error as Error).message });
    }
    this.#running = null;
    this.#again(inMs);
  }
}
