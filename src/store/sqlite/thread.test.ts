import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { change } from '../database/rows.ts';
import { aJob, aTeam } from '#testing/factories';
import { openSqliteTestStore, openThreadedTestStore } from '#testing/stores';

const open = () => openSqliteTestStore();

describe('a SQLite file on the caller’s own thread', () => {
  test('simultaneous transactions, scripts and reads on this thread are separated', async () => {
    await using store = await open();
    const team = await aTeam(store);
    const rename = store.database.transact(async (trx) => {
      await change(trx, 'teams', { id: team.id }, { name: 'Half' });
      // Gives other callers a chance to run in between.
      await new Promise(setImmediate);
      await change(trx, 'teams', { id: team.id }, { name: 'Whole' });
    });
    const [, job, found] = await Promise.all([
      rename,
      aJob(store, team.id),
      store.teams.find(team.id),
    ]);
    assert.equal((await store.jobs.find(team.id, job.jobId))?.status, 'pending');
    assert.notEqual(found?.name, 'Half');
    assert.equal((await store.teams.find(team.id))?.name, 'Whole');
  });

  test("a store on the caller's thread reads on a connection that cannot write", async () => {
    await using store = await open();
    const { id } = await aTeam(store);
    const write = "update teams set name = 'Nobody'";
    await assert.rejects(
      store.database.read((db) => db.run(write)),
      /readonly database/,
    );
    assert.equal((await store.teams.find(id))?.name, 'Northwind');
  });

  test("a file on the caller's thread sees writes of a process with threads", async () => {
    await using store = await openThreadedTestStore();
    const here = await store.openAnother({ onThisThread: true });
    const team = await aTeam(store);
    assert.equal((await here.teams.find(team.id))?.name, team.name);
    const { jobId } = await aJob(here, team.id);
    assert.equal((await store.jobs.find(team.id, jobId))?.id, jobId);
  });

  test('a file that is no database is refused with its name and the next step', async () => {
    await using store = await open();
    const { location } = store;
    assert.ok(location.kind === 'sqlite');
    const path = `${location.path}.txt`;
    fs.writeFileSync(
      path,
      'no database, but a text that is long enough to be looked at'.repeat(20),
    );
    await assert.rejects(
      store.openAnother({ onThisThread: true, location: { kind: 'sqlite', path } }),
      {
        code: 'STORE_DAMAGED',
        message: /belfry\.db\.txt is damaged or not a SQLite database/,
      },
    );
  });
});
