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

/** The key of `openBenchStore`: a part writes rows, and the service must open the same database. */
const SETTINGS = {
  PLANS: 'unlimited=unlimited',
  LOG_LEVEL: 'warn',
  APP_KEY: Buffer.alloc(32, 1).toString('base64'),
};

export interface Service extends AsyncDisposable {
  url: string;
  pid: number;
  /** A file of SQLite or an address of Postgres. */
  place: string;
  /** Of the Postgres server. */
  serverPid: number | null;
  token: string;
  teamId: string;
}

/** Starts the service as a process, on a new database unless one is given. */
export async function startService(
  places: Places,
  database: DatabaseName,
  env: Record<string, string> = {},
  given?: string,
): Promise<Service> {
  const place = given ?? (await places.make(database));
  const databaseUrl = database === 'SQLite' ? `sqlite:${place}` : place;
  const belfry = await startBelfry({ databaseUrl, env: { ...SETTINGS, ...env } });
  const client = await makeClient(belfry);
  client.close();
  const { token, teamId } = client;
  const serverPid = database === 'SQLite' ? null : await places.postgresPid();
  const { url, pid } = belfry;
  const end = () => belfry[Symbol.asyncDispose]();
  return { url, pid, place, serverPid, token, teamId, [Symbol.asyncDispose]: end };
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

  async close(): Promise<void> {
    await (await this.#postgres)?.stop();
  }
}
