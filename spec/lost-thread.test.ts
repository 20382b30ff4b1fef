/** A thread that holds the SQLite database and dies: the process ends with it, so that whoever watches over it starts it again. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { clientOf, makeClient, postJob, untilSucceeded } from '#testing/remote';

const KILLER = path.join(path.dirname(import.meta.dirname), 'testing/thread-killer.ts');

describe('a thread of SQLite that dies', { concurrency: 3 }, () => {
  for (const [KILL_THREAD, KILL_BY, cause] of [
    ['sqlite-writer', 'throwing', ' \\(thrown by a test\\)'],
    ['sqlite-writer', 'ending', ''],
    ['sqlite-reader', 'ending', ''],
  ] as const) {
    test(`${KILL_THREAD}, by ${KILL_BY}: exit code 1 and one line; started again, all goes on`, async () => {
      await using target = await startReceiver();
      const preload = { NODE_OPTIONS: `--import=${KILLER}`, KILL_THREAD, KILL_BY };
      await using belfry = await startBelfry({ env: { PLANS: 'unlimited=unlimited', ...preload } });
      const client = await makeClient(belfry);
      const waiting = await postJob(client, { url: `${target.url}/waiting`, delay: 3 });
      client.close();
      belfry.signal('SIGUSR2');
      assert.equal(await belfry.exited, 1);
      const said = belfry.output.filter((line) => line.startsWith('belfry: '));
      assert.equal(said.length, 1, said.join('\n'));
      const line = `^belfry: the thread ${KILL_THREAD}, which held the database, has ended${cause}; `;
      assert.match(said[0] ?? '', new RegExp(line));

      await using again = await belfry.restart({ NODE_OPTIONS: undefined });
      const restarted = clientOf(again, client.token);
      const after = await postJob({ ...client, ...restarted }, { url: `${target.url}/after` });
      await untilSucceeded(again, [waiting, after]);
      assert.equal(target.requests.length, 2, 'something was sent twice');
      restarted.close();
    });
  }

  test('a graceful stop closes the database threads without a log line', async () => {
    await using belfry = await startBelfry();
    assert.equal(await belfry.stop(), 0);
    assert.deepEqual(
      belfry.output.filter((line) => line.startsWith('belfry: ')),
      [],
    );
  });
});
