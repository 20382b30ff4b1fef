import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Client } from 'pg';
import { eventually } from './wait.ts';

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function isReachable(url: string): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  );
}

test('a server ends when the process that started it is killed', async () => {
  const source = `
    const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('./postgres.ts'))});
    console.log((await startPostgres()).url);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(owner.stdout), 'line')) as [string];
  assert.equal(await isReachable(url), true);
  owner.kill('SIGKILL');
  await eventually(async () => !(await isReachable(url)), { what: 'the server to end' });
});
