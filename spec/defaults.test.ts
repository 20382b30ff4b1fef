/** What holds without any setting, and on a host whose time zone is not UTC. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachDatabase, startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { openRows } from '#testing/rows';

const JOB = { queue: 'emails', url: 'http://127.0.0.1:9/', delay: 3600 };

describe('without settings', () => {
  test('an address has 60 API calls a minute', async () => {
    await using belfry = await startBelfry({ env: { API_RATE_LIMIT: undefined } });
    const client = await makeClient(belfry);
    const answers = [];
    for (let n = 0; n < 61; n++) answers.push(await client.post('/api/jobs', JOB));
    client.close();
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [...Array.from({ length: 60 }, () => 201), 429]);
    assert.equal(answers[0]?.headers.get('x-ratelimit-limit'), '60');
  });

  test('the first team has no monthly limit, and each later one has 1,000 runs', async () => {
    await using belfry = await startBelfry();
    for (const name of ['first', 'second', 'third']) {
      const user = ['--email', `${name}@bells.test`, '--password', 'correct horse battery'];
      assert.equal((await belfry.cli('user', 'create', ...user, '--team', name)).code, 0);
    }
    const { json } = await belfry.cli('team', 'list');
    const teams = json as { name: string; plan: string; monthly_limit: number | null }[];
    const limits = teams.map(({ name, ...team }) => [name, [team.plan, team.monthly_limit]]);
    assert.deepEqual(Object.fromEntries(limits), {
      first: ['unlimited', null],
      second: ['free', 1000],
      third: ['free', 1000],
    });
  });
});

forEachDatabase((database, makeDatabaseUrl) => {
  for (const TZ of ['Pacific/Kiritimati', 'America/St_Johns']) {
    test(`in the time zone ${TZ}, crons and delays are in UTC`, async () => {
      const databaseUrl = await makeDatabaseUrl();
      if (database === 'Postgres') {
        await using rows = await openRows(databaseUrl);
        const name = new URL(databaseUrl).pathname.slice(1);
        await rows.all(`alter database ${name} set timezone to '${TZ}'`);
      }
      await using belfry = await startBelfry({ databaseUrl, env: { TZ } });
      const client = await makeClient(belfry);
      const before = Date.now();
      const job = await client.post('/api/jobs', JOB);
      const cron = await client.post('/api/crons', {
        name: 'At noon',
        url: JOB.url,
        cron_expression: '30 12 * * *',
      });
      client.close();
      const due = Date.parse(String(job.json['scheduled_at']));
      assert.ok(due >= before + 3_599_000 && due <= Date.now() + 3_600_000, job.text);
      const next = new Date(String(cron.json['next_run_at'])).toISOString();
      assert.match(next, /T12:30:00\.000Z$/);
      assert.ok(Date.parse(next) - Date.now() <= 86_400_000);
      const { json } = await belfry.cliProcess('cron', 'list', '--team', 'Bell ringers');
      const [listed] = json as { next_run_at: string }[];
      assert.equal(Date.parse(listed?.next_run_at ?? ''), Date.parse(next));
    });
  }
});
