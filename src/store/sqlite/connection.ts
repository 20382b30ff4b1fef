import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { threadsClockMs, type WorkerSettings } from './protocol.ts';

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Texts of searches vary, so the statement that was used longest ago is dropped. */
const MAX_PREPARED = 300;
const VACUUM = 'pragma incremental_vacuum';
/** Up to here a statement still waits the full time for a locked file. */
const NO_WAIT_MS = 250;

/** Throws the errors of `node:sqlite`. */
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

  /** The limit less the time since the request: all statements queued at a locked file are refused in time. */
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

  /** `immediate`: a transaction that reads first could fail with a lock error that no waiting resolves. */
  begin(): void {
    this.#database.exec('begin immediate');
  }

  run(sql: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number } {
    // A failed commit on a full disk may have ended the transaction.
    if (sql === 'rollback' && !this.isInTransaction) return { rows: [], changes: 0 };
    if (sql.startsWith(VACUUM)) {
      // One step frees one page; `exec` runs the pragma to its end.
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
      // In the order of last use.
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
