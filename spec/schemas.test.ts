/** Several installations in one Postgres database, each in a schema of its own: they share the server and nothing else. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { createDatabase } from '#testing/postgres';
import { type BelfryProcess, eventually, runOperator, startBelfry } from '#testing/process';
import { type Receiver, startReceiver } from '#testing/receiver';
import { type Client, listJobs, makeClient, postJob, setQueue } from '#testing/remote';
import { openRows } from '#testing/rows';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

const JOBS = 60;

interface Installation extends AsyncDisposable {
  belfry: BelfryProcess;
  client: Client;
  target: Receiver;
}

async function install(databaseUrl: string, schema: string | undefined): Promise<Installation> {
  await using made = new AsyncDisposableStack();
  const target = made.use(await startReceiver({ answer: { delayMs: 20 } }));
  const env = { PLANS: 'unlimited=unlimited', DATABASE_SCHEMA: schema };
  const belfry = made.use(await startBelfry({ databaseUrl, env }));
  const client = await makeClient(belfry);
  await setQueue(belfry, 'emails', '--concurrency', '4', '--retries', 'off');
  const kept = made.move();
  return { belfry, client, target, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function post({ client, target }: Installation): Promise<void> {
  const paths = Array.from({ length: JOBS }, (_, n) => `${target.url}/${n}`);
  await Promise.all(paths.map((url) => postJob(client, { url })));
}

async function untilEnded({ belfry }: Installation): Promise<void> {
  const haveEnded = async () => {
    const jobs = await listJobs(belfry);
    return jobs.length === JOBS && jobs.every(({ status }) => status === 'success');
  };
  await eventually(haveEnded, {
    withinMs: LONG_WAIT_LIMIT_MS,
    everyMs: 200,
    what: 'all jobs to succeed',
  });
}

function assertSentOnce({ target }: Installation): void {
  const paths = target.requests.map(({ url }) => url).toSorted();
  const expected = Array.from({ length: JOBS }, (_, n) => `/${n}`).toSorted();
  assert.deepEqual(paths, expected);
}

describe('installations in schemas of one database', () => {
  test('installations in different schemas do not affect each other under load and kills', async () => {
    await using database = await createDatabase();
    await using common = await install(database.url, undefined);
    await using night = await install(database.url, 'night');
    await using shift = await install(database.url, 'shift_2');
    const posted = [common, night].map(post);
    const lost = post(shift).catch(() => {});
    await shift.target.waitFor(4);
    await shift.belfry.kill();
    await Promise.all([...posted, lost]);
    await using rows = await openRows(database.url);
    await rows.all('drop schema shift_2 cascade');
    for (const each of [common, night]) {
      await untilEnded(each);
      assertSentOnce(each);
      const lines = each.belfry.output.join('\n');
      assert.doesNotMatch(lines, /node\.(died|lease-lost)|"level":(50|60)|"level":"error"/);
    }
  });

  test("a schema that can't be created is reported in one line", async () => {
    await using database = await createDatabase();
    await using rows = await openRows(database.url);
    const user = `guest_${Date.now()}`;
    await rows.all(`create role ${user} login password 'guest'`);
    const url = Object.assign(new URL(database.url), { username: user, password: 'guest' }).href;
    const env = { DATABASE_SCHEMA: 'closed' };
    const { code, stderr } = await runOperator(['migrate'], {
      databaseUrl: url,
      folder: makeFolder(),
      env,
    });
    assert.equal(code, 1);
    assert.match(stderr, /^belfry: [^\n]*Postgres does not let this user make its tables[^\n]*\n$/);
    await rows.all(`drop role ${user}`);
  });
});
