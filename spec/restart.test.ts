/** What survives a planned end of a process (§3.6, §3.5, §6.1), and what works beside a running one. Crashes are in faults/. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createMigratedDatabase } from '#testing/migrated';
import { launchBelfry, makeSqliteUrl, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { makeClient, postJob, showJob, untilSucceeded } from '#testing/remote';
import { makeGate } from '#testing/scheduling';
import { assertWoken } from '#testing/woken';

const env = { PLANS: 'unlimited=unlimited' };

describe('restarts', { concurrency: 2 }, () => {
  // On Postgres; 6-callbacks stops a process amid an attempt on SQLite.
  test('SIGTERM finishes running attempts, claims no new ones and exits with 0', async () => {
    const gate = makeGate();
    await using target = await startReceiver();
    target.answer('/slow', { after: gate.opened });
    await using database = await createMigratedDatabase();
    await using belfry = await startBelfry({
      databaseUrl: database.url,
      // However busy the machine is, the gate opens within it.
      env: { ...env, SHUTDOWN_GRACE_SECONDS: '60' },
    });
    const client = await makeClient(belfry);
    const slow = await postJob(client, { url: `${target.url}/slow` });
    const waiting = await postJob(client, { url: `${target.url}/waiting`, delay: 1 });
    await target.waitFor(1);
    belfry.signal('SIGTERM');
    await belfry.line(/stop\.asked/);
    // Past the time of the job that waits; it must not go.
    await delay(1_500);
    gate.open();
    assert.equal(await belfry.exited, 0);
    assert.equal(target.requests.length, 1);
    const done = await showJob(belfry, slow);
    assert.deepEqual([done.status, done.response_status], ['success', 200]);
    assert.equal((await showJob(belfry, waiting)).status, 'pending');
    await using _again = await belfry.restart();
    await target.waitFor(2);
    assert.equal(target.requests[1]?.url, '/waiting', 'after the restart it goes at once');
  });

  test('attempts longer than the grace period are dead-lettered at the stop, which exits with 0', async () => {
    await using target = await startReceiver({ answer: 'never' });
    await using belfry = await startBelfry({ env: { ...env, SHUTDOWN_GRACE_SECONDS: '1' } });
    const client = await makeClient(belfry);
    const id = await postJob(client, { url: target.url });
    await target.waitFor(1);
    assert.equal(await belfry.stop(), 0);
    const job = await showJob(belfry, id);
    assert.deepEqual([job.status, job.reason], ['dead_lettered', 'worker_failed']);
  });

  test('after a clean stop the SQLite file alone has every accepted job', async () => {
    const databaseUrl = await makeSqliteUrl({ isEmpty: true });
    await using belfry = await startBelfry({ databaseUrl, env });
    const client = await makeClient(belfry);
    for (let n = 0; n < 5; n++) await postJob(client, { url: 'http://127.0.0.1/', delay: 3600 });
    // Makes the service search, for which it opens a connection that only reads.
    assert.equal((await fetch(`${belfry.url}/metrics`)).status, 200);
    assert.equal(await belfry.stop(), 0);
    assert.ok(
      !belfry.output.some((line) => line.startsWith('belfry: ')),
      'the threads end quietly',
    );
    const file = databaseUrl.slice('sqlite:'.length);
    const copy = `${file}.copy`;
    fs.copyFileSync(file, copy);
    using database = new DatabaseSync(copy);
    assert.equal(database.prepare('select count(*) as n from jobs').get()?.['n'], 5);
    assert.equal(fs.existsSync(`${file}-wal`), false);
  });

  test('a second process on the same SQLite file is refused, and the first continues', async () => {
    const databaseUrl = await makeSqliteUrl();
    await using belfry = await startBelfry({ databaseUrl, env });
    const second = launchBelfry({ databaseUrl, env, folder: belfry.folder });
    assert.equal(await second.exited, 1);
    const said = await second.line(/^belfry: /);
    assert.match(said, /another Belfry process is serving .+belfry\.db; stop it first/);
    assert.equal((await fetch(`${belfry.url}/readyz`)).status, 200);
    await belfry.kill();
    await using again = await belfry.restart();
    assert.equal((await fetch(`${again.url}/readyz`)).status, 200, 'a killed one leaves no lock');
  });

  // On Postgres, processes of both roles wake each other in roles.test.ts.
  test('`job fire` and `job delete` take effect in the running service at once', async () => {
    await using target = await startReceiver();
    await using belfry = await startBelfry({ env });
    const client = await makeClient(belfry);
    const later = (path: string) => postJob(client, { url: `${target.url}${path}`, delay: 3600 });
    const deleted = await later('/deleted');
    assert.equal((await belfry.cli('job', 'delete', '--id', deleted)).code, 0);
    assert.equal((await belfry.cli('job', 'fire', '--id', deleted)).code, 1);
    const paths: string[] = [];
    await assertWoken(async (n) => {
      paths.push(`/fired/${n}`);
      const fired = await later(`/fired/${n}`);
      assert.equal((await belfry.cli('job', 'fire', '--id', fired)).code, 0);
      await target.waitFor(n + 1);
      await untilSucceeded(belfry, [fired]);
    });
    assert.deepEqual(
      target.requests.map(({ url }) => url),
      paths,
    );
  });
});
