import type { RanStatement } from '../database.ts';

/** What the main thread and a SQLite thread say to each other. */
export interface WorkerSettings {
  path: string;
  readOnly: boolean;
  busyTimeoutMs: number;
  pragmas: readonly string[];
  /** Tells of the statements that a procedure ran. */
  reports: boolean;
}

export interface Ask {
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Begins a transaction first: one message fewer for each transaction. */
  begins: boolean;
}

/** Carry out a procedure as one transaction. */
export interface Call {
  id: number;
  procedure: string;
  input: unknown;
}

export interface Answer {
  id: number;
  rows: unknown[];
  changes: number;
  /** What a procedure came to. */
  output?: unknown;
  /** What a procedure ran, where that is to be told. */
  ran?: RanStatement[];
  /** `errcode` is SQLite's extended result code, 0 where the fault is not SQLite's. */
  error?: { message: string; errcode: number };
}
