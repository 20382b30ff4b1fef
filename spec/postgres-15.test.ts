/** Postgres 15, the oldest version that is tested, and the backup and restore of docs/guides/backup.md. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { useStarted } from '#testing/hooks';
import { commandsOf, readPage, sectionOf } from '#testing/markdown';
import { startPostgres } from '#testing/postgres';
import { startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { clientOf, listJobs, makeClient, postJob, untilSucceeded } from '#testing/remote';

const PROGRAMS = '/usr/lib/postgresql/15';
const skip = fs.existsSync(`${PROGRAMS}/bin/postgres`) ? false : 'Postgres 15 is not installed';

describe('Postgres 15', { skip }, () => {
  const server = useStarted(() => startPostgres({ programs: PROGRAMS }));

  /** Runs Postgres' programs as its superuser in a folder. */
  function run(command: string, cwd: string): void {
    const PATH = `${PROGRAMS}/bin:${process.env['PATH']}`;
    const env = { PATH, PGHOST: '127.0.0.1', PGPORT: String(server.port), PGUSER: 'postgres' };
    execFileSync('sh', ['-euc', command], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  test('the service runs on Postgres 15, and on a database restored by the guide', async () => {
    const folder = makeFolder();
    run('createuser belfry && createdb --owner belfry belfry', folder);
    const addressOf = (name: string) => `postgres://belfry@127.0.0.1:${server.port}/${name}`;
    await using target = await startReceiver();
    const belfry = await startBelfry({ databaseUrl: addressOf('belfry') });
    const client = await makeClient(belfry);
    const sent = await postJob(client, { url: target.url });
    await untilSucceeded(belfry, [sent]);
    const secret = { Authorization: 'Bearer kept' };
    const waiting = await postJob(client, { url: target.url, headers: secret, delay: 3600 });
    await belfry.stop();
    for (const command of commandsOf(sectionOf(readPage('docs/guides/backup.md'), 'Postgres')))
      run(command, folder);

    await using restored = await startBelfry({ databaseUrl: addressOf('restored') });
    const jobs = await listJobs(restored);
    const statuses = new Map(jobs.map(({ id, status }) => [id, status]));
    assert.deepEqual([statuses.get(sent), statuses.get(waiting)], ['success', 'pending']);
    assert.equal((await restored.cli('job', 'fire', '--id', waiting)).code, 0);
    const late = await postJob(clientOf(restored, client.token), { url: target.url });
    await untilSucceeded(restored, [waiting, late]);
    assert.equal(target.requests.filter((each) => each.headers.authorization).length, 1);
  });
});
