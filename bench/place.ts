import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Client } from 'pg';
import { makeFolder } from '#testing/guard';
import { type Postgres, startPostgres } from '#testing/postgres';
import { readStat } from './processor-time.ts';
import { findRedis, type Redis } from './redis.ts';

export type DatabaseName = 'SQLite' | 'Postgres';
export const DATABASES: readonly DatabaseName[] = ['SQLite', 'Postgres'];

/** The servers that a run needs, each started when it is first asked for. */
export class Places {
  #postgres: Promise<Postgres> | null = null;
  #redis: Promise<Redis | null> | null = null;

  /** Makes an empty database. Postgres syncs commits to the disk, as SQLite does. */
  async make(database: DatabaseName): Promise<string> {
    if (database === 'SQLite') return path.join(makeFolder(), 'belfry.db');
    this.#postgres ??= startPostgres({
      durable: true,
      settings: { shared_buffers: '256MB', max_wal_size: '2GB' },
    });
    const { url } = await this.#postgres;
    const client = new Client({ connectionString: url });
    await client.connect();
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await client.query(`create database ${name}`);
    await client.end();
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  }

  /** The process of the Postgres server. */
  async postgresPid(): Promise<number | null> {
    const server = await this.#postgres;
    if (!server) return null;
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const parent = readStat(rows[0]?.pid ?? 0)?.parent ?? null;
    await client.end();
    return parent;
  }

  /** Null where there is no Redis. */
  async redis(): Promise<Redis | null> {
    this.#redis ??= findRedis();
    return this.#redis;
  }

  async close(): Promise<void> {
    await (await this.#postgres)?.stop();
    await (await this.#redis)?.stop();
  }
}
