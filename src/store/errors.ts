/**
 * What the store throws. Callers decide on `code`, never on the text.
 *
 * STORE_UNAVAILABLE: the database can't be reached, is full, or is locked by somebody else; nothing was
 *   written, the same call may succeed later.
 * STORE_LOCKED: another process serves this SQLite file.
 * STORE_DAMAGED: the file is not a sound SQLite database.
 * STORE_READ_ONLY: the file or its folder cannot be written; on Postgres, this user may not.
 * STORE_TOO_NEW: a newer version has migrated the database.
 * STORE_WRONG_KEY: the database was made with another APP_KEY.
 * STORE_CONFLICT: the transaction lost a race and may be run again from its start.
 * STORE_REFUSED: a constraint said no. STORE_FAULT: anything else, a defect of ours.
 */
export type StoreErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'STORE_LOCKED'
  | 'STORE_DAMAGED'
  | 'STORE_READ_ONLY'
  | 'STORE_TOO_NEW'
  | 'STORE_WRONG_KEY'
  | 'STORE_CONFLICT'
  | 'STORE_REFUSED'
  | 'STORE_FAULT';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static fromSqlite({ message, errcode }: { message: string; errcode: number }): StoreError {
    return new StoreError(SQLITE_CODES.get(errcode & 0xff) ?? 'STORE_FAULT', message);
  }

  /** @param error  what node-postgres threw: a server error with a SQLSTATE, or a socket's fault */
  static fromPostgres(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const { code = '', message } = error as { code?: string; message: string };
    return new StoreError(postgresCode(code, message), message, { cause: error });
  }
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const SQLITE_CODES = new Map<number, StoreErrorCode>([
  [5, 'STORE_UNAVAILABLE'], // BUSY
  [6, 'STORE_UNAVAILABLE'], // LOCKED
  [8, 'STORE_READ_ONLY'],
  [10, 'STORE_UNAVAILABLE'], // IOERR
  [11, 'STORE_DAMAGED'], // CORRUPT
  [13, 'STORE_UNAVAILABLE'], // FULL
  [14, 'STORE_READ_ONLY'], // CANTOPEN
  [19, 'STORE_REFUSED'], // CONSTRAINT
  [26, 'STORE_DAMAGED'], // NOTADB
]);

/** SQLSTATE classes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function postgresCode(sqlState: string, message: string): StoreErrorCode {
  if (sqlState === '40001' || sqlState === '40P01') return 'STORE_CONFLICT';
  if (sqlState.startsWith('23')) return 'STORE_REFUSED';
  // 08 connection, 28 and 3D000 it lets nobody in, 53 resources (full disk, too many connections), 57P0x shutdown,
  // 58 system, 25006 read-only standby
  if (/^(08|28|3D|53|57P|58)/.test(sqlState) || sqlState === '25006') return 'STORE_UNAVAILABLE';
  // No right to a table, or to any schema.
  if (sqlState === '42501' || sqlState === '3F000') return 'STORE_READ_ONLY';
  // A statement that took too long: the server is overloaded, or somebody holds a lock.
  if (sqlState === '57014' || sqlState === '55P03') return 'STORE_UNAVAILABLE';
  if (/^E[A-Z_]+$/.test(sqlState)) return 'STORE_UNAVAILABLE';
  // node-postgres gives these no code
  if (/connection|timeout exceeded|read timeout/i.test(message) && sqlState === '')
    return 'STORE_UNAVAILABLE';
  return 'STORE_FAULT';
}
