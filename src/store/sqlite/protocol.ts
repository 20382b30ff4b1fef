import type { EventEmitter } from 'node:events';
import type { RanStatement } from '../database/runner.ts';

export interface WorkerSettings {
  name: 'sqlite-writer' | 'sqlite-reader' | 'sqlite-searcher';
  path: string;
  readOnly: boolean;
  busyTimeoutMs: number;
  pragmas: readonly string[];
  reports: boolean;
}

/** Shared by all threads. */
export function threadsClockMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Emits `error` with the cause of its end, and `exit`. */
export type ConnectionThread = EventEmitter & { postMessage(message: Ask | Call | 'close'): void };

export type StartThread = (settings: WorkerSettings) => ConnectionThread;

interface Message {
  id: number;
  /** By `threadsClockMs`; waiting for others counts. */
  askedAtMs: number;
}

export interface Ask extends Message {
  sql: string;
  parameters: readonly unknown[];
  /** Saves one message per transaction. */
  begins: boolean;
}

/** In one transaction. */
export interface Call extends Message {
  script: string;
  input: unknown;
}

export interface Answer {
  id: number;
  rows: unknown[];
  changes: number;
  output?: unknown;
  /** If they are to be reported. */
  ran?: RanStatement[];
  /** `errcode`: SQLite's extended code; 0 if the fault isn't SQLite's. */
  error?: { message: string; errcode: number };
}
