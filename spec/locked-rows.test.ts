/**
 * On Postgres another transaction (an open `psql`, a report) locks a row of one team. Only that team's work waits
 * (§3.8).
 */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createMigratedDatabase } from '#testing/migrated';
import { type BelfryProcess, eventually, startBelfry } from '#testing/process';
import { type Receiver, startReceiver } from '#testing/receiver';
import { type Client, clientOf, makeClient, postJob, untilSucceeded } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

/** A wait for a row's lock lasts as long as this; without it a job goes out within some 10 ms. */
const LOCK_WAIT_MS = 5_000;
const ROUNDS = 3;
/** Teams near their limit count under a lock. */
const env = { PLANS: 'free=1000' };

interface Scene {
  belfry: BelfryProcess;
  target: Receiver;
  rows: Rows;
  locked: Client;
  other: Client;
}

describe('locked rows', () => {
  test('a locked row delays only the team it belongs to', async (t) => {
    await using database = await createMigratedDatabase();
    await using target = await startReceiver();
    await using belfry = await startBelfry({ databaseUrl: database.url, env });
    await using rows = await openRows(database.url);
    const locked = await makeClient(belfry);
    const other = await makeOther(belfry);
    const scene = { belfry, target, rows, locked, other };
    for (const client of [locked, other]) await runOne(scene, client, 'first');
    await rows.all(`update queues set concurrency_limit = 1 where name = 'narrow'`);

    const ofTeam = `where team_id = '${locked.teamId}' for update`;
    await lockAndSend(t, scene, `select 1 from usage_periods ${ofTeam}`);
    await lockAndSend(t, scene, `select 1 from outcome_hours ${ofTeam}`);
    await lockAndSend(t, scene, `select 1 from duration_hours ${ofTeam}`);
    await lockAndSend(t, scene, `select 1 from queues ${ofTeam}`);
    await lockAndSend(t, scene, `select 1 from teams where id = '${locked.teamId}' for update`);
    await lockAndSend(t, scene, `select 1 from callbacks ${ofTeam}`);
    for (const client of [locked, other]) client.close();
  });
});

let jobs = 0;

/** While a row of a team is locked, another team's jobs, crons and callbacks are sent; the first team's after it. */
async function lockAndSend(t: TestContext, scene: Scene, lock: string): Promise<void> {
  const { target, rows, locked, other, belfry } = scene;
  await using holder = await openRows(belfry.databaseUrl);
  const waiting: Promise<string>[] = [];
  const before = jobs;
  await holder.all(`begin; ${lock}`);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const queue of ['wide', 'narrow']) waiting.push(post(scene, locked, queue));
    await makeCronsDue(rows);
    const from = performance.now();
    const id = await post(scene, other, 'wide');
    await untilSucceeded(belfry, [id]);
    await untilArrived(target, `/callback/${jobs}`);
    rounds.push(performance.now() - from);
  }
  const took = `${rounds.map(Math.round).join(', ')} ms beside ${lock}`;
  t.diagnostic(took);
  // A busy machine may delay a round; a wait for the lock delays each.
  const [, median = Infinity] = rounds.toSorted((a, b) => a - b);
  assert.ok(median < LOCK_WAIT_MS, took);
  await holder.all('rollback');
  await untilSucceeded(belfry, await Promise.all(waiting));
  for (let n = before + 1; n <= jobs; n++) await untilArrived(target, `/callback/${n}`);
  const times = target.requests.filter(({ url }) => url.startsWith('/job/'));
  assert.equal(times.length, jobs, 'each was sent once');
}

/** With a callback. Gives its id. */
async function post({ target }: Scene, client: Client, queue: string): Promise<string> {
  jobs++;
  const callback_url = `${target.url}/callback/${jobs}`;
  return postJob(client, { queue, url: `${target.url}/job/${jobs}`, callback_url });
}

/** A job in each queue and a cron, so that all rows are there that are counted in. */
async function runOne(scene: Scene, client: Client, name: string): Promise<void> {
  const ids = [];
  for (const queue of ['wide', 'narrow']) ids.push(await post(scene, client, queue));
  const cron = { name, url: `${scene.target.url}/cron`, cron_expression: '0 0 1 1 *' };
  assert.equal((await client.post('/api/crons', cron)).status, 201);
  await untilSucceeded(scene.belfry, ids);
}

async function makeCronsDue(rows: Rows): Promise<void> {
  await rows.all(
    `update crons set next_run_at = (extract(epoch from clock_timestamp()) * 1000)::bigint`,
  );
  await rows.all(`notify belfry, 'look'`);
}

async function untilArrived(target: Receiver, path: string): Promise<void> {
  const isThere = () => target.requests.some(({ url }) => url === path);
  await eventually(isThere, { withinMs: LONG_WAIT_LIMIT_MS, what: path });
}

async function makeOther(belfry: BelfryProcess): Promise<Client> {
  const user = ['--email', 'eve@example.com', '--password', 'correct horse battery'];
  const made = await belfry.cli('user', 'create', ...user, '--team', 'Others');
  const { apiToken, teamId } = made.json as { apiToken: string; teamId: string };
  return { ...clientOf(belfry, apiToken), teamId };
}
