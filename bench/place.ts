import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Client } from 'pg';
import { makeFolder } from '#testing/guard';
import { type Postgres, startPostgres } from '#testing/postgres';
import { startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { readStat } from './processor-time.ts';

export type DatabaseName = 'SQLite' | 'Postgres';
export const DATABASES: readonly DatabaseName[] = ['SQLite', 'Postgres'];

const SETTINGS = { PLANS: 'unlimited=unlimited', LOG_LEVEL: 'warn' };

export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts the service as a process, on a new database. */
export async function startService(places: Places, database: DatabaseName) {
  const place = await places.make(database);
  const databaseUrl = database === 'SQLite' ? `sqlite:${place}` : place;
  const belfry = await startBelfry({ databaseUrl, env: SETTINGS });
  const { token } = await makeClient(belfry);
  return { url: belfry.url, token, [Symbol.asyncDispose]: () => belfry[Symbol.asyncDispose]() };
}

export async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

/** The servers that a run needs, each started when it is first asked for. */
export class Places {
  #postgres: Promise<Postgres> | null = null;

  /** Makes an empty database. Postgres syncs commits to the disk, as SQLite does. */
  async make(database: DatabaseName): Promise<string> {
    if (database === 'SQLite') return path.join(makeFolder(), 'belfry.db');
    this.#postgres ??= startPostgres({
      durable: true,
      settings: { shared_buffers: '256MB', max_wal_size: '2GB' },
    });
    const { url } = await this.#postgres;
    const name = `bench_${randomBytes(6).toString('hex')}`;
    const client = await connect(url);
    await client.query(`create database ${name}`);
    await client.end();
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  }

  /** The process of the Postgres server. */
  async postgresPid(): Promise<number | null> {
    const server = await this.#postgres;
    if (!server) return null;
    const client = await connect(server.url);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const parent = readStat(rows[0]?.pid ?? 0)?.parent ?? null;
    await client.end();
    return parent;
  }

  async close(): Promise<void> {
    await (await this.#postgres)?.stop();
  }
}
