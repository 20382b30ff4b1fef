import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { WAIT_LIMIT_MS } from './limits.ts';

/** Queries a running service's database directly, for tests that need facts about many rows at once. */
export interface Rows extends AsyncDisposable {
  all<Row>(text: string): Promise<Row[]>;
}

/** @param databaseUrl  as the service is given it; numbers beyond 32 bits come as numbers */
export async function openRows(databaseUrl: string): Promise<Rows> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), {
      timeout: WAIT_LIMIT_MS,
    });
    return {
      all: (text) => Promise.resolve(database.prepare(text).all() as never),
      [Symbol.asyncDispose]: async () => database.close(),
    };
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    all: async <Row>(text: string) => (await client.query(text)).rows as Row[],
    [Symbol.asyncDispose]: () => client.end(),
  };
}
