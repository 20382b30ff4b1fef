/** docs/guides/backup.md: the service copies its SQLite database on a schedule and keeps the newest copies. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { commandsOf, readPage, sectionOf } from '#testing/markdown';
import { type BelfryProcess, eventually, startBelfry, UNDER_TEST } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import {
  clientOf,
  listJobs,
  makeClient,
  postJob,
  readFinding,
  TEAM,
  untilSucceeded,
} from '#testing/remote';
import { FakeClock } from '#demo/fake-clock';
import { silentLog } from '#domain/base/log';
import { backUpIntoFolder, listBackups } from '#store/sqlite/backup-folder';
import { createBackups } from '#operate/backups';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');

function makeDatabase(): string {
  const file = path.join(makeFolder(), 'some.db');
  using database = new DatabaseSync(file);
  database.exec('create table things (n integer)');
  return file;
}

const namesIn = (folder: string) => listBackups(folder).map(({ name }) => name);
const hoursIn = (folder: string) => listBackups(folder).map(({ at }) => (at - NOON) / HOUR);

describe('backups', () => {
  test('backups are made at the start and when they are due, also across restarts', async () => {
    const folder = path.join(makeFolder(), 'copies');
    await using belfry = await startBelfry({ env: { BACKUP_FOLDER: folder } });
    await belfry.line(/"event":"backup\.made"/);
    const [name = ''] = namesIn(folder);
    assert.equal(fs.statSync(path.join(folder, name)).mode & 0o077, 0, 'nobody else may read it');
    using copy = new DatabaseSync(path.join(folder, name), { readOnly: true });
    assert.ok(copy.prepare('select count(*) as n from migrations').get()?.['n']);
    const found = await readFinding(belfry, 'backups');
    assert.equal(found?.status, 'ok');
    assert.match(found?.message ?? '', /^1 in .*copies, the newest of 20/);
    await belfry.stop();
    await using again = await belfry.restart();
    assert.equal((await fetch(`${again.url}/readyz`)).status, 200);
    assert.deepEqual(namesIn(folder), [name], 'not due before the day is over');
  });

  test('the newest backups are kept, and no other file is deleted', () => {
    const databasePath = makeDatabase();
    const folder = makeFolder();
    const others = ['belfry.db', 'belfry-2026-11-01.db', 'notes.txt'];
    for (const name of others) fs.writeFileSync(path.join(folder, name), 'mine');
    fs.writeFileSync(path.join(folder, 'belfry-2026-11-01T000000Z.db.12.part'), 'half');
    for (let n = 0; n < 4; n++) {
      const made = backUpIntoFolder({ databasePath, folder, keep: 2, now: NOON + n * HOUR });
      assert.equal(made.kind, 'done');
    }
    const kept = ['belfry-2026-11-21T150000Z.db', 'belfry-2026-11-21T140000Z.db'];
    assert.deepEqual(namesIn(folder), kept);
    assert.deepEqual(fs.readdirSync(folder).toSorted(), [...others, ...kept].toSorted());
  });

  test('a failed backup deletes no older one', () => {
    const folder = makeFolder();
    const databasePath = makeDatabase();
    backUpIntoFolder({ databasePath, folder, keep: 5, now: NOON });
    backUpIntoFolder({ databasePath, folder, keep: 5, now: NOON + HOUR });
    const gone = path.join(folder, 'gone.db');
    const failed = backUpIntoFolder({ databasePath: gone, folder, keep: 1, now: NOON + 2 * HOUR });
    assert.equal(failed.kind, 'no-database');
    assert.equal(namesIn(folder).length, 2);
    const file = path.join(folder, 'a file');
    fs.writeFileSync(file, '');
    const below = path.join(file, 'below');
    const unmade = backUpIntoFolder({ databasePath, folder: below, keep: 1, now: NOON });
    assert.ok(unmade.kind === 'cannot-write');
    assert.match(unmade.reason, /^the folder cannot be made \(EEXIST\): .*ReadWritePaths=$/);
  });

  test('backups are made at the configured interval, and an hour after a failure', async () => {
    const clock = new FakeClock('2026-11-21T12:00:00Z');
    const folder = makeFolder();
    const databasePath = path.join(makeFolder(), 'later.db');
    const options = { databasePath, folder, everyHours: 3, keep: 10, clock, log: silentLog };
    const backups = createBackups(options);
    backups.start();
    await clock.advance(0);
    await eventually(() => Promise.resolve(clock.waiting === 1));
    assert.deepEqual(hoursIn(folder), [], 'there is no database yet');
    fs.copyFileSync(makeDatabase(), databasePath);
    for (let hour = 1; hour <= 5; hour++) {
      await clock.advance(HOUR);
      await eventually(() => Promise.resolve(clock.waiting === 1));
    }
    assert.deepEqual(hoursIn(folder), [4, 1]);
    await backups.stop();
  });

  test('a copy from the future neither delays nor replaces a backup', async () => {
    const clock = new FakeClock('2026-11-21T12:00:00Z');
    const [databasePath, folder] = [makeDatabase(), makeFolder()];
    backUpIntoFolder({ databasePath, folder, keep: 10, now: NOON + 1_000 * HOUR });
    const options = { databasePath, folder, everyHours: 2, keep: 10, clock, log: silentLog };
    const backups = createBackups(options);
    backups.start();
    for (let hour = 0; hour <= 2; hour++) {
      await eventually(() => Promise.resolve(clock.waiting === 1));
      await clock.advance(HOUR);
    }
    await backups.stop();
    assert.deepEqual(hoursIn(folder), [1_000, 2, 0]);
    backUpIntoFolder({ databasePath, folder, keep: 1, now: clock.now() });
    assert.deepEqual(hoursIn(folder), [3]);
  });

  test('a copy made by the command of the guide is restored by its steps', async () => {
    const guide = readPage('docs/guides/backup.md');
    const [copy = ''] = commandsOf(sectionOf(guide, 'SQLite'));
    const [teams = ''] = commandsOf(sectionOf(guide, 'After a restore'));
    const [pause = '', resume = ''] = teams.replaceAll('Acme', `'${TEAM}'`).split('\n');
    await using target = await startReceiver();
    const belfry = await startBelfry();
    const client = await makeClient(belfry);
    const headers = { Authorization: 'Bearer kept' };
    const kept = await postJob(client, { url: target.url, headers, delay: 3600 });
    const copies = makeFolder();
    runAsWritten(copy.replaceAll('/var/backups', copies), belfry);
    await postJob(client, { url: target.url, delay: 3600 });
    await belfry.stop();
    const file = path.join(belfry.folder, 'belfry.db');
    for (const each of [file, `${file}-wal`, `${file}-shm`]) fs.rmSync(each, { force: true });
    fs.copyFileSync(path.join(copies, fs.readdirSync(copies)[0] ?? ''), file);
    runAsWritten(pause, belfry);
    await using restored = await belfry.restart();
    const jobs = await listJobs(restored);
    assert.deepEqual(
      jobs.map(({ id, status }) => [id, status]),
      [[kept, 'pending']],
    );
    assert.equal((await restored.cli('job', 'fire', '--id', kept)).code, 0);
    const later = await postJob(clientOf(restored, client.token), { url: `${target.url}/later` });
    assert.equal(target.requests.length, 0, 'a paused team sends nothing');
    runAsWritten(resume, restored);
    await untilSucceeded(restored, [kept, later]);
    const sent = target.requests.find(({ url }) => url === '/');
    assert.equal(sent?.headers.authorization, 'Bearer kept');
  });
});

/** Runs commands in the folder of an installation, as an operator does. */
function runAsWritten(commands: string, { folder, databaseUrl }: BelfryProcess): void {
  const programs = makeFolder();
  const program = UNDER_TEST.map((word) => `'${word}'`).join(' ');
  fs.writeFileSync(path.join(programs, 'belfry'), `#!/bin/sh\nexec ${program} "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${programs}:${process.env['PATH']}`, DATABASE_URL: databaseUrl };
  execFileSync('sh', ['-euc', commands], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
}
