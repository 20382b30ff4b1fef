import type { RanStatement } from '../database/database.ts';

/** What the main thread and a SQLite thread say to each other. */
export interface WorkerSettings {
  /** Names the thread in what is said about it. */
  name: 'sqlite-writer' | 'sqlite-reader' | 'sqlite-searcher';
  path: string;
  readOnly: boolean;
  busyTimeoutMs: number;
  pragmas: readonly string[];
  /** Tells of the statements that a transaction script ran. */
  reports: boolean;
}

/** Milliseconds on a clock that all threads of the process share. */
export function threadsClockMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

interface Message {
  id: number;
  /** When it was asked for, by `threadsClockMs`, also where others had their turn first. */
  askedAtMs: number;
}

export interface Ask extends Message {
  sql: string;
  parameters: readonly unknown[];
  /** Begins a transaction first: one message fewer for each transaction. */
  begins: boolean;
}

/** Carry out a transaction script as one transaction. */
export interface Call extends Message {
  script: string;
  input: unknown;
}

export interface Answer {
  id: number;
  rows: unknown[];
  changes: number;
  /** What a transaction script came to. */
  output?: unknown;
  /** What a transaction script ran, where that is to be told. */
  ran?: RanStatement[];
  /** `errcode` is SQLite's extended result code, 0 where the fault is not SQLite's. */
  error?: { message: string; errcode: number };
}

/** A way to one SQLite connection: a thread of its own, or the caller's. Rejects with `StoreError`s. */
export interface SqliteLine {
  /**
   * Runs one statement, the first of a transaction where `begins` says so.
   *
   * @param asked  `askedAtMs`: since when the caller waits, by `threadsClockMs`: who waited for others is not made to
   *   wait for a locked file for the whole time once more
   */
  run(
    sql: string,
    parameters: readonly unknown[],
    asked?: { begins?: boolean; askedAtMs?: number },
  ): Promise<{ rows: unknown[]; changes: number }>;
  /** Carries out a transaction script, at once or after the transaction that is open just now. */
  call(script: string, input: unknown): Promise<Pick<Answer, 'output' | 'ran'>>;
  close(): Promise<void>;
}
