import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDashboard } from '#testing/dashboard';

/** What a team can't have more of (§8.3): the forms say so and keep what was typed. */

const env = { MAX_CRONS_PER_TEAM: '1', MAX_QUEUES_PER_TEAM: '1', MAX_WAITING_PAYLOAD_MB: '1' };
const dashboard = useDashboard(env, { sends: false });

const url = 'http://target.example/typed';
const cron = { url, method: 'GET', timeout_seconds: '30', cron_expression: '@daily' };
const queue = { timeout_seconds: '30', retry_schedule: '1m', dead_letter_days: '14' };
const job = { queue: 'mail', url, method: 'POST', delay: '3600' };
const payload = JSON.stringify({ text: 'x'.repeat(600_000) });

test('a form beyond a bound of the team shows an error and keeps the typed text', async () => {
  const user = await dashboard.newTeam();
  const visitor = await dashboard.signIn(user);
  for (const [path, accepted, refused, error] of [
    [
      '/crons/new',
      { ...cron, name: 'A' },
      { ...cron, name: 'B', cron_expression: '@hourly' },
      'have more crons: the limit is 1.',
    ],
    [
      '/queues/new',
      { ...queue, queue: 'mail' },
      { ...queue, queue: 'B' },
      'more queues: the limit is 1.',
    ],
    ['/jobs/new', job, { ...job, queue: 'B' }, 'more queues: the limit is 1.'],
    ['/jobs/new', { ...job, payload }, { ...job, payload }, 'have reached the limit of 1 MiB.'],
  ] as const) {
    const post = async (form: Record<string, string>) => visitor.post(path, form);
    assert.equal((await post(accepted)).status, 302, path);
    const { status, text } = await post(refused);
    assert.equal(status, 422, path);
    assert.ok(text.includes(error), `${path}: ${error}`);
    if ('url' in refused) assert.ok(text.includes(url), path);
  }
  assert.equal((await visitor.post('/jobs/new', job)).status, 302, 'without a payload');
  const names = (await dashboard.service.work.listQueues(user.teamId)).map(({ name }) => name);
  assert.deepEqual(names, ['mail']);
});
