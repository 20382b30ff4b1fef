/**
 * Callers decide by `code`, never by the text.
 *
 * STORE_UNAVAILABLE: unreachable, full or locked; may succeed later (`wroteNothing`). STORE_BUSY: too many or too long
 * searches; other calls work. STORE_LOCKED: another process serves the SQLite file. STORE_DAMAGED: no sound SQLite
 * database. STORE_READ_ONLY: no permission to write. STORE_TOO_NEW: migrated by a newer version. STORE_UNRELEASED:
 * from before the first release. STORE_NOT_MIGRATED: migrations are pending. STORE_POOLED: the pooler loses session
 * state. STORE_WRONG_KEY: another APP_KEY. STORE_KEY_UNUSABLE: the key file is missing, damaged or out of reach.
 * STORE_CONFLICT: lost a race; may run again. STORE_REFUSED: a constraint was violated. STORE_FAULT: a bug of ours.
 */
export type StoreErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'STORE_BUSY'
  | 'STORE_LOCKED'
  | 'STORE_DAMAGED'
  | 'STORE_READ_ONLY'
  | 'STORE_TOO_NEW'
  | 'STORE_UNRELEASED'
  | 'STORE_NOT_MIGRATED'
  | 'STORE_POOLED'
  | 'STORE_WRONG_KEY'
  | 'STORE_KEY_UNUSABLE'
  | 'STORE_CONFLICT'
  | 'STORE_REFUSED'
  | 'STORE_FAULT';

interface StoreErrorOptions extends ErrorOptions {
  wroteNothing?: boolean;
}

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** Never sent, or answered with an error. False if the answer was lost: the call may still take effect. */
  readonly wroteNothing: boolean;

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.wroteNothing = options.wroteNothing ?? false;
  }

  static fromSqlite({ message, errcode }: { message: string; errcode: number }): StoreError {
    const primary = errcode & 0xff;
    const code = SQLITE_CODES.get(primary) ?? 'STORE_FAULT';
    // If the disk fails during a commit, it may be stored.
    return new StoreError(code, message, { wroteNothing: primary !== IOERR });
  }

  /** @param error of node-postgres: with a SQLSTATE, or a socket's */
  static fromPostgres(error: unknown, wasSent = true): StoreError {
    if (error instanceof StoreError) return error;
    const { code = '', message } = error as { code?: string; message: string };
    const wroteNothing = !wasSent || isNo(code);
    return new StoreError(postgresCode(code, message), message, { cause: error, wroteNothing });
  }

  /** @param error while connecting: no statement was sent */
  static fromConnecting(error: unknown): StoreError {
    return StoreError.fromPostgres(error, false);
  }
}

/**
 * The same settings may work later: no connection, a server that starts or stops, no connection left. False if the
 * server refuses.
 */
export function isServerAway(error: unknown): boolean {
  if (!(error instanceof StoreError) || error.code !== 'STORE_UNAVAILABLE') return false;
  if (error.cause instanceof StoreError) return isServerAway(error.cause);
  const { code, syscall } = Object(error.cause) as { code?: string; syscall?: string };
  // node-postgres gives timeouts and ended connections no code.
  if (code === undefined) return error.cause instanceof Error && !REFUSED.test(error.cause.message);
  // The socket file of a server that hasn't started.
  if (code === 'ENOENT') return syscall === 'connect';
  return AWAY.has(code);
}

/** Errors of node-postgres without a code: a missing password, a server without TLS. */
const REFUSED = /^SASL: |does not support SSL/;

/** Codes of OpenSSL and Node for a certificate or a handshake: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
export const TLS_CODES =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_|ERR_TLS_|ERR_SSL_)/;

const AWAY = new Set(
  'ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENETUNREACH EPIPE EAI_AGAIN 08000 08001 08003 08006 53300 57P01 57P02 57P03'.split(
    ' ',
  ),
);

export function wasLockedOut(error: unknown): boolean {
  return error instanceof StoreError && (error.cause as { code?: string } | null)?.code === LOCKED;
}

const LOCKED = '55P03';

const IOERR = 10;

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const SQLITE_CODES = new Map<number, StoreErrorCode>([
  [5, 'STORE_UNAVAILABLE'], // BUSY
  [6, 'STORE_UNAVAILABLE'], // LOCKED
  [8, 'STORE_READ_ONLY'],
  [IOERR, 'STORE_UNAVAILABLE'],
  [11, 'STORE_DAMAGED'], // CORRUPT
  [13, 'STORE_UNAVAILABLE'], // FULL
  [14, 'STORE_READ_ONLY'], // CANTOPEN
  [19, 'STORE_REFUSED'], // CONSTRAINT
  [26, 'STORE_DAMAGED'], // NOTADB
]);

/** A wait for a lock that took too long has another error. */
export function wasTooLong({ cause }: StoreError): boolean {
  return (cause as { code?: string } | undefined)?.code === '57014';
}

/**
 * A SQLSTATE rolls the transaction back. Not if an operator ended the connection or the server failed (57P, 08, 58,
 * XX): a commit may have succeeded.
 */
function isNo(sqlState: string): boolean {
  return /^[0-9A-Z]{5}$/.test(sqlState) && !/^(E|57P|08|58|XX|40003)/.test(sqlState);
}

/** SQLSTATE classes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function postgresCode(sqlState: string, message: string): StoreErrorCode {
  if (sqlState === '40001' || sqlState === '40P01') return 'STORE_CONFLICT';
  if (sqlState.startsWith('23')) return 'STORE_REFUSED';
  // 08 connection, 28 and 3D000 login refused, 53 resources (full disk, too many connections), 57P0x shutdown, 58
  // system, 25006 read-only standby
  if (/^(08|28|3D|53|57P|58)/.test(sqlState) || sqlState === '25006') return 'STORE_UNAVAILABLE';
  if (sqlState === '42501' || sqlState === '3F000') return 'STORE_READ_ONLY';
  // The server is overloaded, or a lock is held.
  if (sqlState === '57014' || sqlState === LOCKED) return 'STORE_UNAVAILABLE';
  if (/^E[A-Z_]+$/.test(sqlState) || TLS_CODES.test(sqlState)) return 'STORE_UNAVAILABLE';
  // node-postgres gives these no code.
  const isConnecting = /connection|timeout exceeded|read timeout/i.test(message);
  if ((isConnecting || REFUSED.test(message)) && sqlState === '') return 'STORE_UNAVAILABLE';
  return 'STORE_FAULT';
}
