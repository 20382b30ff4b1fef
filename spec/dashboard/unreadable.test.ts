import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change } from '#store/database/rows';
import { A_CRON } from '#testing/factories';
import { startDashboard } from '#testing/dashboard';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { SEALED_ELSEWHERE } from '#testing/stores';
import type { Visitor } from '#testing/visitor';

/** Its pages open all the same, say so, and let it be entered anew. */
test("values that can't be decrypted are reported on the pages of the run, cron and secret", async () => {
  await using target = await startReceiver();
  await using dashboard = await startDashboard();
  const user = await dashboard.user('ada@bells.test');
  const visitor = await dashboard.signIn(user);
  const { store, work } = dashboard.service;
  const request = {
    method: 'POST',
    url: `${target.url}/hook`,
    headers: [['X-Key', 'k']],
    payload: '{"a":1}',
    callbackUrl: null,
  } as const;
  const cron = await work.createCron(user.teamId, { ...A_CRON, ...request, name: 'Damaged' });
  const job = await store.jobs.accept({
    ...request,
    teamId: user.teamId,
    queue: 'emails',
    delaySeconds: 3600,
    actor: null,
  });
  const damage = { sealed_headers: SEALED_ELSEWHERE };
  await change(store.database, 'crons', { id: cron.id }, damage);
  await change(store.database, 'jobs', { id: job.jobId }, damage);
  await store.jobs.fire(user.teamId, [job.jobId]);
  await work.runCronNow(user.teamId, cron.id);
  await eventually(async () => (await store.jobs.find(user.teamId, job.jobId))?.completedAt);

  const said = /stored headers can(&#x27;|')t be opened with this APP_KEY/;
  await expectPage(visitor, `/jobs/${job.jobId}`, said, /Nothing was sent/);
  await expectPage(visitor, `/crons/${cron.id}`, said, /enter it again and save/);
  await expectPage(visitor, `/crons/${cron.id}/edit`, said);
  await expectPage(visitor, '/crons', /Damaged/);
  assert.equal(target.requests.length, 0);

  await store.teams.setSigningSecret(user.teamId, 'whsec_hush', 1);
  await change(store.database, 'teams', {}, { sealed_signing_secret: SEALED_ELSEWHERE });
  await expectPage(visitor, '/settings/signing', /signing secret can(&#x27;|')t be opened/);
  await visitor.post('/settings/signing', { intent: 'generate' });
  assert.match((await store.teams.readSigningSecret(user.teamId))?.secret ?? '', /^whsec_/);
});

async function expectPage(visitor: Visitor, path: string, ...said: RegExp[]): Promise<void> {
  const { status, text } = await visitor.get(path);
  assert.equal(status, 200, path);
  for (const each of said) assert.match(text, each, path);
}
