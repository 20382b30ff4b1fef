import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { SqliteThread } from './thread.ts';

const BUSY_TIMEOUT_MS = 1_000;
const ASKS = 60;

describe('a SQLite file that another program has locked', () => {
  test('a locked file rejects all queued statements in time, and takes all once it is free', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-locked-'));
    const file = path.join(folder, 'a.db');
    const other = new DatabaseSync(file);
    other.exec('pragma journal_mode = wal; create table t (n)');
    const thread = new SqliteThread(
      {
        name: 'sqlite-writer',
        path: file,
        readOnly: false,
        busyTimeoutMs: BUSY_TIMEOUT_MS,
        pragmas: [],
        reports: false,
      },
      () => {},
    );
    const ask = () => thread.run('insert into t values (1)', []);
    other.exec('begin immediate');
    const from = performance.now();
    const answers = await Promise.allSettled(Array.from({ length: ASKS }, ask));
    const tookMs = performance.now() - from;
    assert.ok(answers.every(({ status }) => status === 'rejected'));
    // One after the other they would take a minute.
    assert.ok(tookMs < (ASKS / 2) * BUSY_TIMEOUT_MS, `they took ${Math.round(tookMs)} ms`);
    other.exec('rollback');
    await Promise.all(Array.from({ length: ASKS }, ask));
    assert.deepEqual({ ...other.prepare('select count(*) as n from t').get() }, { n: ASKS });
    await thread.close();
    other.close();
    fs.rmSync(folder, { recursive: true });
  });
});
