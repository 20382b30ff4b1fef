/**
 * From the last release to this version and back, as `npm run release` tries it: `BELFRY_LAST_RELEASE` names the npm
 * package of the last release. Without it this version's own stands in, on SQLite, which shows that an installation is
 * taken over by another form of Belfry, and no more.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '#testing/guard';
import {
  eventually,
  forEachDatabase,
  launchBelfry,
  type Program,
  startBelfry,
} from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { clientOf, listJobs, makeClient, postJob, TEAM } from '#testing/remote';
import { packageIfChanged } from './package.ts';
import { packTarball } from './tarball.ts';

/** Seconds after which a job is due: not in this test, unless it is fired. */
const LATER = 3600;

forEachDatabase((name, makeDatabaseUrl) => {
  const named = process.env['BELFRY_LAST_RELEASE'];
  const skip = named === undefined && name === 'Postgres' ? 'no release is named' : false;
  test(
    'this version opens the database of the last release, which then refuses it',
    { skip },
    async () => {
      const last = unpack(named ?? (await packThis()));
      await using target = await startReceiver();
      const databaseUrl = await makeDatabaseUrl({ isEmpty: true });
      const folder =
        name === 'SQLite' ? path.dirname(databaseUrl.slice('sqlite:'.length)) : makeFolder();
      const place = { databaseUrl, folder };

      await using old = await startBelfry({ ...place, program: last });
      const client = await makeClient(old);
      const waiting = await postJob(client, { url: `${target.url}/waiting`, delay: LATER });
      await postJob(client, { url: `${target.url}/sent` });
      await target.waitFor(1);
      const ended = async () => (await listJobs(old)).some(({ status }) => status === 'success');
      await eventually(ended, { what: 'the job to end' });
      const before = await listJobs(old);
      assert.equal(await old.stop(), 0);

      await using now = await startBelfry(place);
      assert.deepEqual(await listJobs(now), before, 'history and what waits are there');
      await now.cli('job', 'fire', '--id', waiting);
      await target.waitFor(2);
      const again = clientOf(now, client.token);
      await postJob(again, { url: `${target.url}/new` });
      await target.waitFor(3);
      assert.equal((await now.cli('team', 'list')).code, 0);
      assert.ok(JSON.stringify((await now.cli('team', 'list')).json).includes(TEAM));
      assert.equal(await now.stop(), 0);
      assert.deepEqual(
        target.requests.map(({ url }) => url),
        ['/sent', '/waiting', '/new'],
        'nothing is sent twice',
      );

      const hasMigrated = now.output.some((line) => line.includes('"database.migrated"'));
      const back = launchBelfry({ ...place, program: last });
      if (!hasMigrated) {
        await back.line(/belfry is ready at/);
        assert.equal(await back.stop(), 0);
        return;
      }
      assert.equal(await back.exited, 1);
      await back.closed;
      assert.match(
        back.output.join('\n'),
        /^belfry: the database was made by a newer version of Belfry/,
      );
    },
  );
});

async function packThis(): Promise<string> {
  await packageIfChanged();
  return packTarball();
}

/** The npm package unpacked, as `npm i` leaves it. */
function unpack(tarball: string): Program {
  const folder = makeFolder();
  execFileSync('tar', ['-xzf', path.resolve(tarball), '-C', folder]);
  return [process.execPath, path.join(folder, 'package/belfry.js')];
}
