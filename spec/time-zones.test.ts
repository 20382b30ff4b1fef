/** On a host whose time zone is not UTC. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase, startBelfry } from '#testing/process';
import { makeClient } from '#testing/remote';
import { openRows } from '#testing/rows';

const JOB = { queue: 'emails', url: 'http://127.0.0.1:9/', delay: 3600 };

const ZONES = { SQLite: 'Pacific/Kiritimati', Postgres: 'America/St_Johns' };

forEachDatabase((database, makeDatabaseUrl) => {
  const TZ = ZONES[database];
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
    const due = Date.parse(String(job.json['scheduled_at']));
    assert.ok(due >= before + 3_599_000 && due <= Date.now() + 3_600_000, job.text);
    const next = new Date(String(cron.json['next_run_at'])).toISOString();
    assert.match(next, /T12:30:00\.000Z$/);
    assert.ok(Date.parse(next) - Date.now() <= 86_400_000);
    const { json } = await belfry.cliProcess('cron', 'list', '--team', 'Bell ringers');
    const [listed] = json as { next_run_at: string }[];
    assert.equal(Date.parse(listed?.next_run_at ?? ''), Date.parse(next));
  });
});
