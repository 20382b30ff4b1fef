import type { Clock } from '#domain/base/clock';
import type { Database } from '../database/database.ts';
import { preparedStatement } from '../database/prepared.ts';
import { LocalSignals } from '../database/signals.ts';

const LOOK_EVERY_MS = 200;

/**
 * Also when a command has written to the file: SQLite counts commits of other connections, and reading that count costs
 * nothing.
 */
export class SqliteSignals extends LocalSignals {
  readonly #db: Database;
  readonly #clock: Clock;
  #seen: number | null = null;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(db: Database, clock: Clock) {
    super();
    this.#db = db;
    this.#clock = clock;
  }

  /** A caller that starts now has read all earlier commits. */
  async start(): Promise<void> {
    await this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    try {
      const version = await this.#db.rows(readVersion, []);
      const seen = version[0]?.data_version ?? 0;
      if (this.#seen !== null && seen !== this.#seen) this.send([{ kind: 'unknown' }]);
      this.#seen = seen;
    } catch {
      // The writer is busy or its disk is full; its callers get the error.
    }
    if (!this.#closed) this.#cancel = this.#clock.after(LOOK_EVERY_MS, () => void this.#look());
  }
}

const readVersion = preparedStatement<{ data_version: number }>(
  'read-data-version',
  () => 'pragma data_version',
);
