/** What the main thread and a SQLite thread say to each other. */
export interface WorkerSettings {
  path: string;
  readOnly: boolean;
  busyTimeoutMs: number;
  pragmas: readonly string[];
}

export interface Ask {
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Begins a transaction first: one message fewer for each transaction. */
  begins: boolean;
}

export interface Answer {
  id: number;
  rows: unknown[];
  changes: number;
  /** `errcode` is SQLite's extended result code, 0 where the fault is not SQLite's. */
  error?: { message: string; errcode: number };
}
