import type { Answer } from './runner.ts';

export interface Connection {
  run(text: string, parameters: readonly unknown[]): Promise<Answer>;
  /** Ended by `commit` or `rollback`. A rollback never fails on a dead connection. */
  begin(): Promise<void>;
}

/** A pool, or the connection of a thread, which callers get in turn. */
export interface Connections {
  /** Refused inside a transaction. */
  hold<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
}

export async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.begin();
  try {
    const result = await work();
    await connection.run('commit', []);
    return result;
  } catch (error) {
    await connection.run('rollback', []);
    throw error;
  }
}
