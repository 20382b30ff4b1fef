import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { ask } from '#testing/ask';
import { aJob, aTeam } from '#testing/factories';
import {
  forEachServedStore,
  lendSqliteFile,
  openLocation,
  openThreadedTestStore,
  type TestStore,
} from '#testing/stores';
import { BASELINE } from './migrations/migrations.ts';

describe('opening a database', () => {
  forEachServedStore((_name, openTestStore) => {
    test('another APP_KEY is refused before anything is written', async () => {
      await using store = await openTestStore();
      const appKey = new Uint8Array(32).fill(8);
      const refusal = { code: 'STORE_WRONG_KEY', message: /APP_KEY/ };
      await assert.rejects(store.openAnother({ appKey }), refusal);
      await (await store.openAnother()).ping();
    });
  });
});

describe('a SQLite database in memory', () => {
  test('a database in memory separates simultaneous transactions and ends with its store', async () => {
    const location = { kind: 'sqlite-memory' } as const;
    const store = await openLocation(location);
    assert.deepEqual(store.migrated, [BASELINE]);
    const team = await aTeam(store);
    const jobs = await Promise.all(Array.from({ length: 5 }, () => aJob(store, team.id)));
    const found = await Promise.all(jobs.map(({ jobId }) => store.jobs.find(team.id, jobId)));
    assert.deepEqual(new Set(found.map((job) => job?.status)), new Set(['pending']));
    await store.close();
    const next = await openLocation(location);
    assert.equal(await next.teams.find(team.id), null);
    await next.close();
  });
});

describe('a SQLite file', () => {
  test('a SQLite file and its side files are readable by the owner only', async () => {
    await using store = await openThreadedTestStore({ serving: true });
    await aTeam(store);
    const path = store.location.kind === 'sqlite' ? store.location.path : '';
    for (const each of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal((fs.statSync(each).mode & 0o777).toString(8), '600', each);
    }
  });

  test('writes of the command line are noticed by the running service', async () => {
    await using store = await openThreadedTestStore({ serving: true });
    const received: string[] = [];
    const stop = store.signals.listen((signal) => received.push(signal.kind));
    const beside = await store.openAnother();
    await aTeam(beside);
    await store.testClock.advance(200);
    await settleLooks(store);
    assert.deepEqual(received.splice(0), ['unknown']);
    await aTeam(store);
    await store.testClock.advance(200);
    await settleLooks(store);
    assert.deepEqual(received, []);
    stop();
  });

  for (const [state, spoil] of [
    ['garbage', (file: string) => fs.writeFileSync(file, 'not a database '.repeat(1000))],
    ['cut short', (file: string) => fs.truncateSync(file, 20_000)],
    [
      'damaged inside',
      (file: string) => {
        const bytes = fs.readFileSync(file);
        // A page that only a check of the whole file reads.
        const page = 4096 * 60;
        bytes.fill(0xa5, page, page + 4096);
        fs.writeFileSync(file, bytes);
      },
    ],
  ] as const) {
    test(`a SQLite file that is ${state} stops the start with its name and the next step`, async () => {
      const { location, drop } = await lendSqliteFile();
      spoil(location.path);
      await assert.rejects(openLocation(location), {
        code: 'STORE_DAMAGED',
        message: `the database file ${location.path} is damaged or not a SQLite database; restore a backup of it, or move it away to start with an empty one`,
      });
      await drop();
    });
  }
});

/** Statements are answered in order, so any look that was under way has ended when this one is answered. */
async function settleLooks(store: TestStore): Promise<void> {
  await ask(store, 'select 1');
  await new Promise((resolve) => setImmediate(resolve));
}
