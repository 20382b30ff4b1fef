/** Pages whose reads take long: they wait for each other, and hold up neither the API, nor what is sent, nor a lease. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createMigratedDatabase } from '#testing/migrated';
import { type BelfryProcess, startBelfry } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { type Client, makeClient, postJob, signIn, untilSucceeded } from '#testing/remote';
import { openRows } from '#testing/rows';
import { makeGate } from '#testing/scheduling';
import type { PageAnswer } from '#testing/visitor';

const env = { PLANS: 'unlimited=unlimited' };
const VISITORS = 12;

describe('pages that read for long', { concurrency: 2, timeout: 120_000 }, () => {
  test('on Postgres: twelve that read for 20 s cost no job, no lease and no acceptance', async () => {
    await using database = await createMigratedDatabase();
    await using belfry = await startBelfry({ databaseUrl: database.url, env });
    await using rows = await openRows(database.url);
    await holdsUpNothing(belfry, {
      slowDown: () =>
        rows.all(`alter table alerts rename to kept_alerts; create view alerts as
          select * from kept_alerts where (select pg_sleep(20)) is not null`),
      cure: () =>
        rows.all(`drop view alerts; alter table kept_alerts rename to alerts;
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%alerts%' and pid <> pg_backend_pid()`),
    });
  });

  test('on SQLite: one that reads for long holds up nothing but other lists', async () => {
    await using belfry = await startBelfry({ env });
    const file = belfry.databaseUrl.slice('sqlite:'.length);
    using other = new DatabaseSync(file, { timeout: 5_000 });
    await holdsUpNothing(belfry, {
      slowDown: async () =>
        other.exec(`alter table alerts rename to kept_alerts; create view alerts as
          select kept_alerts.* from (${countFor(other, 9_000)}) cross join kept_alerts`),
      cure: async () => other.exec('drop view alerts; alter table kept_alerts rename to alerts'),
    });
  });
});

interface Slowness {
  /** From now on a page that reads alerts takes long. */
  slowDown: () => Promise<unknown>;
  cure: () => Promise<unknown>;
}

async function holdsUpNothing(belfry: BelfryProcess, { slowDown, cure }: Slowness): Promise<void> {
  const gate = makeGate();
  await using target = await startReceiver();
  target.answer('/slow', { after: gate.opened });
  const client = await makeClient(belfry);
  const visitor = await signIn(belfry);
  const slow = await postJob(client, { url: `${target.url}/slow` });
  await target.waitFor(1);
  await slowDown();
  const asked = Array.from({ length: VISITORS }, () => visitor.get('/alerts'));

  const jobs = await postFor(client, target.url, 7_000);
  gate.open();
  await untilSucceeded(belfry, [slow, ...jobs]);
  assert.equal((await fetch(`${belfry.url}/readyz`)).status, 200);
  assert.equal((await visitor.get('/settings/profile')).status, 200, 'a page without lists');
  await cure();
  assertTurnedAway(await Promise.all(asked));
  assert.equal((await visitor.get('/alerts')).status, 200);

  assert.equal(target.requests.length, jobs.length + 1, 'something was sent twice');
  const mishaps = belfry.output.filter((line) => /node\.|engine\.|not-stored/.test(line));
  assert.deepEqual(
    mishaps.filter((line) => !line.includes('node.joined')),
    [],
  );
  client.close();
}

/** Posts jobs that are due at once, one after the other. Each is answered before a lock or a limit would end a wait. */
async function postFor(client: Client, url: string, ms: number): Promise<string[]> {
  const ids: string[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await delay(500)) {
    const askedAt = performance.now();
    ids.push(await postJob(client, { url: `${url}/${ids.length}` }));
    assert.ok(performance.now() - askedAt < 4_000, 'an acceptance waited');
  }
  return ids;
}

/** Who found no place was told so; nobody got anything else. */
function assertTurnedAway(answers: readonly PageAnswer[]): void {
  const busy = answers.filter(({ status }) => status !== 200);
  assert.ok(busy.length > 0, 'all found a place');
  for (const { status, headers, text } of busy) {
    assert.equal(status, 503);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.match(text, /Belfry is busy/);
  }
}

/** A statement that counts for about so long. */
function countFor(database: DatabaseSync, ms: number): string {
  const count = (most: number) => `with recursive counted(n) as
    (select 1 union all select n + 1 from counted where n < ${most}) select max(n) as most from counted`;
  const startedAt = performance.now();
  database.prepare(count(1_000_000)).get();
  return count(Math.ceil((1_000_000 * ms) / (performance.now() - startedAt)));
}
