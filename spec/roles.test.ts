/** `ROLE=web` and `ROLE=engine` as two processes on one Postgres, and what happens where they no longer hear each other. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before, useStarted } from '#testing/hooks';
import { readMetrics } from '#testing/metrics';
import { createMigratedDatabase } from '#testing/migrated';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { type Client, listJobs, makeClient, postJob, showJob } from '#testing/remote';
import { openRows } from '#testing/rows';
import { startTcpProxy } from '#testing/tcp-proxy';
import { assertWoken } from '#testing/woken';

const env = { PLANS: 'unlimited=unlimited' };
const web = { ...env, ROLE: 'web' };
const engine = { ...env, ROLE: 'engine' };

describe('web and engine', () => {
  const front = useStarted(async () => {
    const { url } = await createMigratedDatabase();
    return startBelfry({ databaseUrl: url, env: web });
  });
  let client: Client;
  before(async () => void (client = await makeClient(front)));

  test('the engine process sends at once the jobs that the web process accepts', async () => {
    await using target = await startReceiver();
    const before = await postJob(client, { url: `${target.url}/before` });
    assert.equal((await showJob(front, before)).status, 'pending');
    assert.equal(target.requests.length, 0);

    await using back = await startBelfry({ databaseUrl: front.databaseUrl, env: engine });
    await untilDone(front);
    const callback_url = `${target.url}/callback`;
    await postJob(client, { url: `${target.url}/after`, callback_url });
    await target.waitFor(3);
    assert.deepEqual(
      target.requests.map(({ url }) => url),
      ['/before', '/after', '/callback'],
    );
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      for (const { url } of [front, back]) assert.equal((await fetch(url + path)).status, 200);
    }
    assert.equal((await fetch(`${front.url}/login`)).status, 200);
    for (const path of ['/login', '/api/jobs']) {
      assert.equal((await fetch(back.url + path, { method: 'POST' })).status, 404, path);
    }
    const { length } = await listJobs(front);
    for (const name of ['accepted_total{kind="job"}', 'batch_size_sum{of="accept"}'])
      assert.ok((await readMetrics(front)).includes(`\nbelfry_${name} ${length}\n`), name);
    assert.match(await readMetrics(back), /^belfry_lateness_seconds_count\{kind="job"\} 2$/m);
    assert.match(await readMetrics(back), /^belfry_batch_size_sum\{of="claim"\} 2$/m);
    assert.match(await readMetrics(back), /^belfry_batch_size_sum\{of="settle"\} 2$/m);
  });

  test('an engine without its listening connection finds new jobs by polling and listens again', async () => {
    await using target = await startReceiver();
    await using proxy = await startTcpProxy(Number(new URL(front.databaseUrl).port));
    const url = Object.assign(new URL(front.databaseUrl), { port: String(proxy.port) }).href;
    await using back = await startBelfry({ databaseUrl: url, env: engine });
    await using rows = await openRows(front.databaseUrl);
    const endListening = () =>
      rows.all(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'belfry signals' and datname = current_database()`);

    let posted = 0;
    const sendOne = async () => {
      await postJob(client, { url: `${target.url}/${++posted}` });
      await target.waitFor(posted);
    };
    await assertWoken(async () => {
      await endListening();
      await sendOne();
    });

    proxy.swallowAnswerTo('listen belfry');
    await endListening();
    await sendOne();
    await back.line(/signals\.connection-failed/);
    await assertWoken(sendOne);
  });
});

async function untilDone(belfry: BelfryProcess): Promise<void> {
  await eventually(
    async () => (await listJobs(belfry)).every(({ status }) => status === 'success'),
    { everyMs: 200 },
  );
}
