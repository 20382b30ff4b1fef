/** §2.5: jobs, and runs by Run now, name who or what created them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, useDashboard } from '#testing/dashboard';
import { aCron } from '#testing/factories';
import { startReceiver } from '#testing/receiver';
import { executionEnd, jobEnd } from '#testing/runs';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const body = { queue: 'mail', payload: { a: 1 } };
const dashboard = useDashboard({}, { sends: false });
const OWNER = /^[\w.]+ \([\w.]+@example\.com\), API token$/;

test('a job of the API has the name of the user or the service account', async () => {
  await using target = await startReceiver();
  await using service = await startService(openSqliteTestStore);
  const made = await service.people.operator.createServiceAccount(service.teamId, 'billing');
  assert.ok(made.kind === 'made');
  const actorOf = async (token: string) => {
    const job = { ...body, url: target.url, actor: 'Mallory', created_by: 'Mallory' };
    const { json } = await service.post('/api/jobs', job, { Authorization: `Bearer ${token}` });
    const { actor } = await jobEnd(service, String(json['job_id']));
    return actor;
  };
  assert.match((await actorOf(service.token)) ?? '', OWNER);
  assert.equal(await actorOf(made.token), 'billing (service account)');
  await service.people.operator.revokeServiceAccount(service.teamId, made.id);
  const [newest] = await service.work.listJobs(service.teamId, { limit: 1 });
  assert.equal(newest?.actor, 'billing (service account)', 'kept after the revocation');
  const sent = JSON.stringify(target.requests.map(({ rawHeaders, body }) => [rawHeaders, body]));
  assert.ok(!sent.includes('service account'), 'targets are not told');
});

test('automatic retries keep the creator of the job', async () => {
  await using target = await startReceiver();
  target.answer('/down', { status: 503 });
  await using service = await startService(openSqliteTestStore);
  await service.work.setQueue(service.teamId, 'mail', { retrySchedule: [60] });
  const { json } = await service.post('/api/jobs', { ...body, url: `${target.url}/down` });
  const first = await jobEnd(service, String(json['job_id']));
  await service.advance(60_000);
  const attempts = await service.work.listAttempts(service.teamId, first.id);
  assert.equal(attempts.length, 2);
  for (const { actor } of attempts) assert.match(actor ?? '', OWNER);
});

test('a run by Run now has the name of the person before and after its end; a scheduled run has none', async () => {
  await using target = await startReceiver();
  await using service = await startService(openSqliteTestStore);
  const { work, teamId } = service;
  const fields = { name: 'Nightly', url: target.url, cron_expression: '* * * * *' };
  const { json } = await service.post('/api/crons', fields);
  const cronId = String(json['id']);
  const asAda = work.for({
    doer: 'command-line',
    actor: 'Ada',
    may: () => true,
    log: { error: () => {} },
  });
  const run = await asAda.runCronNow(teamId, cronId);
  assert.equal(run?.actor, 'Ada');
  assert.equal((await executionEnd(service, run.id)).actor, 'Ada');
  await service.advance(60_000);
  const runs = await work.listExecutions(teamId, cronId, 10);
  assert.deepEqual(
    runs.map(({ actor, scheduledFor }) => [actor, scheduledFor === null]),
    [
      [null, false],
      ['Ada', true],
    ],
  );
});

test('a job of a form names the person, also after the account is deleted', async () => {
  const { service } = dashboard;
  const owner = await dashboard.user('owner@forms.test', { team: 'forms' });
  const member = await dashboard.user('ada@forms.test', { team: 'forms', role: 'member' });
  const ada = await dashboard.signIn(member);
  const job = {
    queue: 'mail',
    method: 'POST',
    url: 'http://127.0.0.1:9/',
    payload: '',
    delay: '60',
  };
  assert.equal((await ada.post('/jobs/new', { ...job, actor: 'Mallory' })).status, 302);
  const cron = await aCron(service.store, owner.teamId, { name: 'Nightly' });
  await ada.post(`/crons/${cron.id}`, { intent: 'run' });
  const gone = { intent: 'delete', password: PASSWORD };
  assert.equal((await ada.post('/settings/profile', gone)).status, 302);
  const visitor = await dashboard.signIn(owner);
  const [made] = await service.work.listJobs(owner.teamId, { limit: 1 });
  assert.equal(made?.actor, 'ada (ada@forms.test)');
  assert.match(
    (await visitor.get(`/jobs/${made.id}`)).text,
    /Created by[^]*ada \(ada@forms\.test\)/,
  );
  const [run] = await service.work.listExecutions(owner.teamId, cron.id, 1);
  const page = await visitor.get(`/executions/${run?.id}`);
  assert.ok(page.text.includes('Run now, by ada (ada@forms.test)'));
});
