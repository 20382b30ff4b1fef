/** Pages whose reads take long: they wait for each other, and hold up neither the API, nor what is sent, nor a lease. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { createMigratedDatabase } from '#testing/migrated';
import { type BelfryProcess, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { type Client, makeClient, postJob, signIn, untilSucceeded } from '#testing/remote';
import { openRows } from '#testing/rows';
import { makeGate } from '#testing/scheduling';
import type { Answer } from '#testing/client';

const env = { PLANS: 'unlimited=unlimited' };
const VISITORS = 12;
/** At a time. */
const JOBS = 5;
/** A page reads alerts twice, so it takes longer than the five seconds that others wait for it. */
const SLEEP_MS = 5_000;

describe('slow pages', { concurrency: 2 }, () => {
  test('on Postgres twelve slow pages delay no job, lease or acceptance', async () => {
    await using database = await createMigratedDatabase();
    await using belfry = await startBelfry({ databaseUrl: database.url, env });
    await using rows = await openRows(database.url);
    await blocksNothing(belfry, {
      slowDown: () =>
        rows.all(`alter table alerts rename to kept_alerts; create view alerts as
          select * from kept_alerts where (select pg_sleep(60)) is not null`),
      cure: () =>
        rows.all(`drop view alerts; alter table kept_alerts rename to alerts;
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%alerts%' and pid <> pg_backend_pid()`),
    });
  });

  test('on SQLite a slow page delays other lists only', async () => {
    const NODE_OPTIONS = `--import=${path.join(import.meta.dirname, '../testing/sleeping-statements.ts')}`;
    await using belfry = await startBelfry({ env: { ...env, NODE_OPTIONS } });
    await using rows = await openRows(belfry.databaseUrl);
    await blocksNothing(belfry, {
      slowDown: async () => {
        await rows.all('alter table alerts rename to kept_alerts');
        await rows.all(`create view alerts as
          select kept_alerts.* from (select max(sleep(${SLEEP_MS}))) cross join kept_alerts`);
      },
      cure: async () => {
        await rows.all('drop view alerts');
        await rows.all('alter table kept_alerts rename to alerts');
      },
    });
  });
});

interface Slowness {
  /** From now on a page that reads alerts takes long. */
  slowDown: () => Promise<unknown>;
  cure: () => Promise<unknown>;
}

async function blocksNothing(belfry: BelfryProcess, { slowDown, cure }: Slowness): Promise<void> {
  const gate = makeGate();
  await using target = await startReceiver();
  target.answer('/slow', { after: gate.opened });
  const client = await makeClient(belfry);
  const visitor = await signIn(belfry);
  const slow = await postJob(client, { url: `${target.url}/slow` });
  await target.waitFor(1);
  await slowDown();
  const rejected = makeGate();
  let read = 0;
  const look = async () => {
    const answer = await visitor.get('/alerts');
    if (answer.status === 200) read++;
    else rejected.open();
    return answer;
  };
  const asked = Array.from({ length: VISITORS }, look);

  const jobs = await postMany(client, target.url);
  await rejected.opened;
  jobs.push(...(await postMany(client, target.url)));
  assert.equal(read, 0, 'the jobs were accepted while pages were reading');
  gate.open();
  await untilSucceeded(belfry, [slow, ...jobs]);
  assert.equal((await fetch(`${belfry.url}/readyz`)).status, 200);
  assert.equal((await visitor.get('/settings/profile')).status, 200, 'a page without lists');
  await cure();
  assertRejected(await Promise.all(asked));
  assert.equal((await visitor.get('/alerts')).status, 200);

  assert.equal(target.requests.length, jobs.length + 1, 'something was sent twice');
  const mishaps = belfry.output.filter((line) => /node\.|engine\.|not-stored/.test(line));
  assert.deepEqual(
    mishaps.filter((line) => !line.includes('node.joined')),
    [],
  );
}

/** Posts jobs that are due at once, one after the other. */
async function postMany(client: Client, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < JOBS; n++) ids.push(await postJob(client, { url: `${url}/${n}` }));
  return ids;
}

/** Requests over the limit got the error for it; no other error occurred. */
function assertRejected(answers: readonly Answer[]): void {
  const busy = answers.filter(({ status }) => status !== 200);
  assert.ok(busy.length > 0, 'all found a place');
  for (const { status, headers, text } of busy) {
    assert.equal(status, 503);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.match(text, /Belfry is busy/);
  }
}
