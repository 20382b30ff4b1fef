import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDashboard } from '#testing/dashboard';

/** What a team can't have more of (§8.3): the forms say so and keep what was typed. */

const env = { MAX_CRONS_PER_TEAM: '1', MAX_QUEUES_PER_TEAM: '1', MAX_WAITING_PAYLOAD_MB: '1' };
const dashboard = useDashboard(env, { sends: false });

describe('beyond a bound, the form', () => {
  test('a cron beyond the bound shows an error at its name', async () => {
    const visitor = await dashboard.signIn(await dashboard.user('crons@bells.test', { team: 'A' }));
    const cron = {
      name: 'Nightly',
      url: 'http://target.example/typed',
      cron_expression: '@daily',
      method: 'GET',
      timeout_seconds: '30',
    };
    assert.equal((await visitor.post('/crons/new', cron)).status, 302);
    const other = { ...cron, name: 'Hourly', cron_expression: '@hourly' };
    const refused = await visitor.post('/crons/new', other);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /The team cannot have more crons: the limit is 1\./);
    assert.ok(refused.text.includes('http://target.example/typed'));
  });

  test('a queue beyond the bound shows an error at the queue field', async () => {
    const user = await dashboard.user('queues@bells.test', { team: 'B' });
    const visitor = await dashboard.signIn(user);
    const queue = { timeout_seconds: '30', retry_schedule: '1m', dead_letter_days: '14' };
    assert.equal((await visitor.post('/queues/new', { ...queue, queue: 'mail' })).status, 302);
    const job = { queue: 'mail', url: 'http://target.example/', method: 'POST' };
    assert.equal((await visitor.post('/jobs/new', job)).status, 302);
    for (const [path, form] of [
      ['/queues/new', { ...queue, queue: 'second' }],
      ['/jobs/new', { ...job, queue: 'third' }],
    ] as const) {
      const refused = await visitor.post(path, form);
      assert.equal(refused.status, 422, path);
      assert.match(refused.text, /The team cannot have more queues: the limit is 1\./);
    }
    const names = (await dashboard.service.work.listQueues(user.teamId)).map(({ name }) => name);
    assert.deepEqual(names, ['mail']);
  });

  test('a job beyond the bound shows an error at the payload', async () => {
    const user = await dashboard.user('jobs@bells.test', { team: 'C' });
    const visitor = await dashboard.signIn(user);
    const payload = JSON.stringify({ text: 'x'.repeat(600_000) });
    const job = { queue: 'mail', url: 'http://target.example/', method: 'POST', delay: '3600' };
    assert.equal((await visitor.post('/jobs/new', { ...job, payload })).status, 302);
    const refused = await visitor.post('/jobs/new', { ...job, payload });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /waiting jobs have reached the limit of 1 MiB\./);
    assert.equal((await visitor.post('/jobs/new', job)).status, 302, 'without a payload');
  });
});
