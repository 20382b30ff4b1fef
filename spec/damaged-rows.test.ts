/**
 * A stored part of a request is unreadable: it was sealed with another APP_KEY, or damaged. Only that run fails, with
 * a message; other runs work (§2.7, §3.6).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BelfryProcess, eventually, forEachDatabase, startBelfry } from '#testing/process';
import { type Receiver, startReceiver } from '#testing/receiver';
import { type Client, clientOf, makeClient, postJob, untilSucceeded } from '#testing/remote';
import { openRows, type Rows } from '#testing/rows';
import { LONG_WAIT_LIMIT_MS } from '#testing/limits';

const env = { PLANS: 'unlimited=unlimited' };
const SEALED_ELSEWHERE = 'v1.c2VhbGVkIHdpdGggYW5vdGhlciBrZXksIG9yIGRhbWFnZWQgb24gdGhlIGRpc2s';
/** Rows must be damaged before they are claimed. */
const DELAY_SECONDS = 6;
const HEADERS = { 'X-Key': 'k' };
const UNREADABLE = {
  headers: "The stored headers can't be opened with this APP_KEY.",
  assertions: "The stored assertions can't be read.",
  payload: "The stored payload can't be read.",
  secret: "The team's signing secret can't be opened with this APP_KEY.",
};
/** A job that failed in the worker has no callback (§6.2); a cron has one for every run (§6.3). */
const SENT = ['/beside', '/beside-assertions', '/cron/beside', '/callback/cron-headers'];

interface Scene {
  belfry: BelfryProcess;
  client: Client;
  target: Receiver;
  rows: Rows;
}

describe('damaged rows', { concurrency: 2 }, () => {
  forEachDatabase((name, makeDatabaseUrl) => {
    test(`${name}: an unreadable row fails with a message, and other rows work`, async () => {
      await using target = await startReceiver();
      await using belfry = await startBelfry({ databaseUrl: await makeDatabaseUrl(), env });
      await using rows = await openRows(belfry.databaseUrl);
      const client = await makeClient(belfry);
      const scene = { belfry, client, target, rows };
      const unsigned = await damageSecret(scene);
      const { headers, assertions } = await damageJobs(scene);
      await damageCrons(scene);

      await untilSent(target, SENT);
      await expectFailures(rows, {
        [headers]: UNREADABLE.headers,
        [assertions]: UNREADABLE.assertions,
        [unsigned]: UNREADABLE.secret,
      });
      await expectFailedCrons(rows, [UNREADABLE.headers, UNREADABLE.payload, UNREADABLE.secret]);
      assert.match(await belfry.line(/callback\.given-up/), /signing secret can't be opened/);

      // Later jobs are sent. The failed runs were not sent, retried, counted or reported by a callback.
      const later = await postJob(client, { url: `${target.url}/later` });
      await untilSucceeded(belfry, [later]);
      assert.deepEqual(pathsOf(target).toSorted(), [...SENT, '/later'].toSorted());
      assert.deepEqual(await readUsage(rows), [4]);
      client.close();
    });
  });
});

/** Two jobs of a queue, one of which loses its headers, and one of a queue that loses its assertions. */
async function damageJobs({ client, target, rows }: Scene) {
  const usual = { delay: DELAY_SECONDS, callback_url: `${target.url}/callback/job` };
  const plain = { delay: DELAY_SECONDS };
  const post = (path: string, job: object) =>
    postJob(client, { ...job, url: `${target.url}${path}` });
  const headers = await post('/headers', { ...usual, headers: HEADERS });
  await post('/beside', plain);
  const assertions = await post('/assertions', { ...usual, queue: 'asserted' });
  await post('/beside-assertions', { ...plain, queue: 'other' });
  await rows.all(`update jobs set sealed_headers = '${SEALED_ELSEWHERE}' where id = '${headers}'`);
  await rows.all(`update queues set assertions = '[{"kind"' where name = 'asserted'`);
  return { headers, assertions };
}

/** Three crons of a team: one loses its headers, one its payload. */
async function damageCrons({ client, target, rows }: Scene): Promise<void> {
  for (const name of ['headers', 'payload', 'beside']) {
    await postCron(client, target, name, name === 'headers' ? '/callback/cron-headers' : null);
  }
  const set = (what: string, name: string) =>
    rows.all(`update crons set ${what} where name = '${name}'`);
  await set(`sealed_headers = '${SEALED_ELSEWHERE}'`, 'headers');
  await set(`payload = '"{'`, 'payload');
  await rows.all('update crons set next_run_at = (select max(scheduled_at) from jobs)');
}

/** A job and a cron of a team whose signing secret is lost. Gives the job's id. */
async function damageSecret({ belfry, target, rows }: Scene): Promise<string> {
  const user = ['--email', 'eve@example.com', '--password', 'correct horse battery'];
  const made = await belfry.cli('user', 'create', ...user, '--team', 'Signers');
  const { apiToken } = made.json as { apiToken: string };
  await belfry.cli('team', 'signing-secret', '--team', 'Signers');
  const client = clientOf(belfry, apiToken);
  const job = { delay: DELAY_SECONDS, callback_url: `${target.url}/callback/unsigned` };
  const id = await postJob(client, { ...job, url: `${target.url}/unsigned` });
  await postCron(client, target, 'unsigned', '/callback/unsigned');
  await rows.all(`update teams set sealed_signing_secret = '${SEALED_ELSEWHERE}'
    where name = 'Signers'`);
  client.close();
  return id;
}

async function postCron(
  client: Pick<Client, 'post'>,
  target: Receiver,
  name: string,
  callback: string | null,
): Promise<void> {
  const cron = {
    name,
    url: `${target.url}/cron/${name}`,
    cron_expression: '0 0 1 1 *',
    headers: HEADERS,
    payload: '{"a":1}',
    callback_url: callback && `${target.url}${callback}`,
  };
  assert.equal((await client.post('/api/crons', cron)).status, 201);
}

function pathsOf({ requests }: Receiver): string[] {
  return requests.map(({ url }) => url.replace(/\?.*/, ''));
}

async function untilSent(target: Receiver, paths: readonly string[]): Promise<void> {
  const areThere = () => paths.every((path) => pathsOf(target).includes(path));
  await eventually(areThere, { withinMs: LONG_WAIT_LIMIT_MS, what: paths.join() });
}

/** Each job with the words that it failed with. */
async function expectFailures(rows: Rows, failures: Record<string, string>): Promise<void> {
  const text = `select id, status, attempt_number, reason, error_message from ended_jobs
    where id in ('${Object.keys(failures).join("','")}')`;
  const ended = await eventually(
    async () => {
      const found = await rows.all<Record<string, unknown>>(text);
      return found.length === Object.keys(failures).length && found;
    },
    { withinMs: LONG_WAIT_LIMIT_MS, what: 'the failures' },
  );
  for (const { id, status, attempt_number, reason, error_message } of ended) {
    const end = [status, attempt_number, reason, error_message];
    assert.deepEqual(end, ['dead_lettered', 1, 'worker_failed', failures[String(id)]]);
  }
}

async function expectFailedCrons(rows: Rows, messages: readonly string[]): Promise<void> {
  const text = `select error_message from ended_executions where status = 'failed' order by 1`;
  const failed = await eventually(async () => {
    const found = await rows.all<{ error_message: string }>(text);
    return found.length >= messages.length && found;
  });
  const given = failed.map(({ error_message }) => error_message);
  assert.deepEqual(given.toSorted(), messages.toSorted());
}

/** Of all teams that used something. */
async function readUsage(rows: Rows): Promise<number[]> {
  const used = await rows.all<{ used: number | string }>(`select sum(used) as used from (
      select team_id, used from usage_months
      union all select team_id, runs from batch_counts where outcome = 'started') as counts
    group by team_id`);
  return used.map((month) => Number(month.used)).filter((count) => count !== 0);
}
