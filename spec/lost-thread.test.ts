/** A thread that holds the SQLite database and dies: the process ends with it, so that whoever watches over it starts it again. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startBelfry } from '#testing/process';

const KILLER = path.join(path.dirname(import.meta.dirname), 'testing/thread-killer.ts');

describe('a thread of SQLite that dies', { concurrency: 2 }, () => {
  for (const [KILL_THREAD, KILL_BY, cause] of [
    ['sqlite-writer', 'throwing', ' \\(thrown by a test\\)'],
    ['sqlite-reader', 'ending', ''],
  ] as const) {
    test(`the service prints one line and exits with 1 if ${KILL_THREAD} dies by ${KILL_BY}`, async () => {
      const preload = { NODE_OPTIONS: `--import=${KILLER}`, KILL_THREAD, KILL_BY };
      await using belfry = await startBelfry({ env: preload });
      belfry.signal('SIGUSR2');
      assert.equal(await belfry.exited, 1);
      const said = belfry.output.filter((line) => line.startsWith('belfry: '));
      assert.equal(said.length, 1, said.join('\n'));
      const line = `^belfry: the thread ${KILL_THREAD}, which held the database, has ended${cause}; `;
      assert.match(said[0] ?? '', new RegExp(line));
    });
  }
});
