/** docs/guides/postgres.md, "Failover": a standby that confirms commits has every accepted job. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from '#testing/postgres';
import { eventually, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { makeClient, postJob, untilSucceeded } from '#testing/remote';
import { openRows } from '#testing/rows';
import { startTcpProxy } from '#testing/tcp-proxy';

const JOBS = 30;

test('after a failover to a standby that confirms commits, every accepted job is sent once', async () => {
  await using primary = await startPostgres({ durable: true });
  await using standby = await startPostgres({ durable: true, standbyOf: primary.port });
  await using address = await startTcpProxy(primary.port);
  const databaseUrl = Object.assign(new URL(primary.url), { port: address.port }).href;
  await ask(primary.url, `alter system set synchronous_standby_names = '*'`);
  await ask(primary.url, 'select pg_reload_conf()');
  const text = `select 1 from pg_stat_replication where sync_state = 'sync'`;
  await eventually(async () => (await ask(primary.url, text)).length === 1);

  await using target = await startReceiver();
  await using belfry = await startBelfry({ databaseUrl });
  const client = await makeClient(belfry);
  const ids: string[] = [];
  const post = (delay: number) => postJob(client, { url: `${target.url}/${ids.length}`, delay });
  while (ids.length < JOBS) ids.push(await post(ids.length % 2));
  await primary.crash();
  await ask(standby.url, 'select pg_promote()');
  address.turnTo(standby.port);
  await eventually(async () => (await fetch(`${belfry.url}/readyz`)).status === 200);
  while (ids.length < 2 * JOBS) ids.push(await post(0));
  await untilSucceeded({ databaseUrl: standby.url }, ids);
  const paths = target.requests.map(({ url }) => url);
  assert.deepEqual(new Set(paths), new Set(ids.map((_, n) => `/${n}`)));
  assert.equal(paths.length, ids.length, 'none was sent twice');
});

async function ask(url: string, text: string): Promise<unknown[]> {
  await using rows = await openRows(url);
  return await rows.all(text);
}
