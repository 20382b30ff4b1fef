import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { createDatabase, sharedPostgresUrl, type TestDatabase } from '#testing/postgres';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/**
 * A database that lies on a small disk; what the server writes ahead of it (its WAL) does not. For a server of this
 * machine that tests started themselves.
 */
export async function createDatabaseOnSmallDisk(
  megabytes: number,
): Promise<TestDatabase & { disk: SmallDisk }> {
  const database = await createDatabase();
  const client = new Client({ connectionString: await sharedPostgresUrl() });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  const home = String(rows[0]?.data_directory);
  const name = `disk_${randomBytes(8).toString('hex')}`;
  const folder = path.join(path.dirname(home), name);
  fs.mkdirSync(folder);
  const disk = mountSmallDisk(megabytes, folder, fs.statSync(home).uid);
  await client.query(`create tablespace ${name} location '${folder}'`);
  await client.query(
    `alter database ${new URL(database.url).pathname.slice(1)} set tablespace ${name}`,
  );
  const drop = async () => {
    disk.freeSpace();
    await database.drop();
    await client.query(`drop tablespace ${name}`);
    await client.end();
    disk[Symbol.dispose]();
  };
  return { url: database.url, disk, drop, [Symbol.asyncDispose]: drop };
}
