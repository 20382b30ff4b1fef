import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { backUpOnThread } from './backup-thread.ts';

const skip = process.platform === 'linux' ? false : 'reads /proc/locks';

test('a backup by the service keeps the locks of the service on its file', { skip }, async () => {
  const folder = makeFolder();
  const databasePath = path.join(folder, 'belfry.db');
  using service = new DatabaseSync(databasePath);
  service.exec('pragma journal_mode = wal; create table t (n)');
  const { ino } = statSync(databasePath);
  const locks = () =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `))
      .map((line) => line.replace(/^\d+: /, ''));
  const before = locks();
  assert.notDeepEqual(before, []);
  const order = { databasePath, folder: path.join(folder, 'copies'), keep: 1, now: 0 };
  assert.equal((await backUpOnThread(order).made).kind, 'done');
  assert.deepEqual(locks(), before);
});
