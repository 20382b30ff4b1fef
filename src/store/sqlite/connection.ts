import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { threadsClockMs, type WorkerSettings } from './protocol.ts';

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Enough for every statement in the code; texts of searches vary and displace each other. */
const MAX_PREPARED = 300;
const VACUUM = 'pragma incremental_vacuum';
/** A statement that waited less than this in the thread's queue still waits the full time for a locked file. */
const NO_WAIT_MS = 250;

/** One SQLite connection and its prepared statements. Throws the errors of `node:sqlite`. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #busyTimeoutMs: number;
  #patienceMs: number;
  readonly #prepared = new Map<string, Prepared>();

  constructor({ path, readOnly, busyTimeoutMs, pragmas }: WorkerSettings) {
    this.#database = new DatabaseSync(path, {
      readOnly,
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    for (const pragma of pragmas) this.#database.exec(`PRAGMA ${pragma}`);
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#patienceMs = busyTimeoutMs;
  }

  /**
   * Sets how long the next statement waits for a locked file: the limit less the time since it was requested. So while
   * another program locks the file, all queued statements are refused in time, and not one after the other.
   */
  waitSince(askedAtMs: number): void {
    const waitedMs = threadsClockMs() - askedAtMs;
    const leftMs = waitedMs < NO_WAIT_MS ? this.#busyTimeoutMs : this.#busyTimeoutMs - waitedMs;
    const patienceMs = Math.max(0, leftMs);
    if (patienceMs === this.#patienceMs) return;
    this.#database.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    this.#patienceMs = patienceMs;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /**
   * Begins with `immediate`. Otherwise a transaction that reads first and writes later could find that another one
   * wrote in between, and fail with a lock error that no waiting resolves.
   */
  begin(): void {
    this.#database.exec('begin immediate');
  }

  run(sql: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number } {
    // A commit that failed on a full disk may have ended the transaction.
    if (sql === 'rollback' && !this.isInTransaction) return { rows: [], changes: 0 };
    if (sql.startsWith(VACUUM)) {
      // One step frees only one page; `exec` runs the pragma to its end.
      this.#database.exec(sql);
      return { rows: [], changes: 0 };
    }
    const { statement, returnsRows } = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values), changes: 0 };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known) {
      // The map keeps the order of the last use, so the hot statements are never the first to go.
      this.#prepared.delete(text);
      this.#prepared.set(text, known);
      return known;
    }
    const statement = this.#database.prepare(text);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(text, entry);
    if (this.#prepared.size > MAX_PREPARED) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    return entry;
  }
}
