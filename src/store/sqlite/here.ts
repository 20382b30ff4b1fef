import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../database/errors.ts';
import { carryOut, faultOf } from './carry-out.ts';
import { Connection } from './connection.ts';
import { type Answer, type SqliteLine, threadsClockMs, type WorkerSettings } from './protocol.ts';

/**
 * A `Mutex` serializes the callers. As from a thread, an answer is a copy and comes in a later iteration of the event
 * loop, so a caller in a loop doesn't starve others.
 */
export class SqliteHere implements SqliteLine {
  readonly #connection: Connection;
  readonly #reports: boolean;

  constructor(settings: WorkerSettings) {
    this.#connection = new Connection(settings);
    this.#reports = settings.reports;
  }

  async run(
    sql: string,
    parameters: readonly unknown[],
    { begins = false, askedAtMs = threadsClockMs() } = {},
  ): Promise<{ rows: unknown[]; changes: number }> {
    await setImmediate();
    try {
      if (!this.#connection.isInTransaction) this.#connection.waitSince(askedAtMs);
      if (begins) this.#connection.begin();
      const { rows, changes } = this.#connection.run(sql, parameters);
      return { rows: structuredClone(rows), changes };
    } catch (error) {
      throw asStoreError(faultOf(0, error));
    }
  }

  async call(script: string, input: unknown): Promise<Pick<Answer, 'output' | 'ran'>> {
    const asked = { id: 0, askedAtMs: threadsClockMs(), script, input: structuredClone(input) };
    await setImmediate();
    const [answer] = await carryOut(this.#connection, [asked], this.#reports);
    if (!answer || answer.error) throw asStoreError(answer);
    return structuredClone(answer);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

function asStoreError(answer: Answer | undefined): StoreError {
  return StoreError.fromSqlite(answer?.error ?? { message: 'nothing was answered', errcode: 0 });
}
