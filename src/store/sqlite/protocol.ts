import type { EventEmitter } from 'node:events';
import type { RanStatement } from '../database/database.ts';

/** The messages between the main thread and a SQLite thread. */
export interface WorkerSettings {
  /** The thread's name in messages and logs. */
  name: 'sqlite-writer' | 'sqlite-reader' | 'sqlite-searcher';
  path: string;
  readOnly: boolean;
  busyTimeoutMs: number;
  pragmas: readonly string[];
  /** True: reports the statements that a transaction script ran. */
  reports: boolean;
}

/** Milliseconds on a clock that all threads of the process share. */
export function threadsClockMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/**
 * A thread with the connection, as seen by its opener. It answers with `message`, and emits `error` with the cause of
 * its end and `exit` when it has ended.
 */
export type ConnectionThread = EventEmitter & { postMessage(message: Ask | Call | 'close'): void };

export type StartThread = (settings: WorkerSettings) => ConnectionThread;

interface Message {
  id: number;
  /** When the caller started to wait, by `threadsClockMs`; waiting for others counts. */
  askedAtMs: number;
}

export interface Ask extends Message {
  sql: string;
  parameters: readonly unknown[];
  /** True: begins a transaction first, which saves one message per transaction. */
  begins: boolean;
}

/** Runs a transaction script as one transaction. */
export interface Call extends Message {
  script: string;
  input: unknown;
}

export interface Answer {
  id: number;
  rows: unknown[];
  changes: number;
  /** The result of a transaction script. */
  output?: unknown;
  /** The statements that a transaction script ran, if they are to be reported. */
  ran?: RanStatement[];
  /** `errcode` is SQLite's extended result code, 0 where the fault is not SQLite's. */
  error?: { message: string; errcode: number };
}

/** Access to one SQLite connection, on its own thread or the caller's. Rejects with `StoreError`s. */
export interface SqliteLine {
  /**
   * Runs one statement; with `begins`, the first of a transaction.
   *
   * @param asked `askedAtMs`: since when the caller waits, by `threadsClockMs`. The time is subtracted from the wait
   * for a locked file
   */
  run(
    sql: string,
    parameters: readonly unknown[],
    asked?: { begins?: boolean; askedAtMs?: number },
  ): Promise<{ rows: unknown[]; changes: number }>;
  /** Runs a transaction script, at once or after the transaction that is open now. */
  call(script: string, input: unknown): Promise<Pick<Answer, 'output' | 'ran'>>;
  close(): Promise<void>;
}
