import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { one } from '#store/database/rows';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { before, useStarted } from '#testing/hooks';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import type { Visitor } from '#testing/visitor';

const dashboard = useDashboard();
const target = useStarted(startReceiver);
let owner: TestUser;
let visitor: Visitor;

before(async () => {
  owner = await dashboard.user('owner@bells.test');
  visitor = await dashboard.signIn(owner);
});

const aJob = async (queue = 'mail') => {
  const { work } = dashboard.service;
  const { jobId } = await work.createJob(owner.teamId, {
    queue,
    url: `${target.url}/old`,
    method: 'POST',
    headers: [
      ['Authorization', 'Bearer kept'],
      ['X-Old', '1'],
    ],
    payloadJson: '{"a":1.0}',
    callbackUrl: null,
    delaySeconds: 3600,
  });
  return jobId;
};
const find = async (id: string) => {
  const job = await dashboard.service.work.findJob(owner.teamId, id);
  assert.ok(job);
  return job;
};
/** What the form of a job holds when it is opened. */
const typedOf = async (id: string) => ({
  queue: 'mail',
  url: `${target.url}/old`,
  method: 'POST',
  headers: 'Authorization: ••••••••\nX-Old: 1',
  payload: '{"a":1.0}',
  callback_url: '',
  scheduled_at: new Date((await find(id)).scheduledAt).toISOString().slice(0, 19),
});
const edit = (id: string, form: Record<string, string>) => visitor.post(`/jobs/${id}/edit`, form);

describe('§3.2: a waiting job is edited', () => {
  test('an edited job is sent as edited, at its new time, with its unchanged secrets', async () => {
    const id = await aJob();
    const page = await visitor.get(`/jobs/${id}/edit`);
    assert.equal(page.status, 200);
    assert.ok(!page.text.includes('Bearer kept'));
    const answer = await edit(id, {
      ...(await typedOf(id)),
      url: `${target.url}/new`,
      method: 'PUT',
      headers: 'Authorization: ••••••••\nX-New: 2',
      payload: '{"b":2.00}',
      scheduled_at: '2026-11-01T00:00:00',
    });
    assert.equal(answer.status, 302, answer.text);
    const sent = await target.next(({ url }) => url === '/new');
    assert.equal(sent.method, 'PUT');
    assert.equal(sent.headers['authorization'], 'Bearer kept');
    assert.equal(sent.headers['x-new'], '2');
    assert.equal(sent.headers['x-old'], undefined);
    assert.equal(sent.body.toString(), '{"b":2.00}');
    assert.ok(!target.requests.some(({ url }) => url === '/old'));
    const shown = await visitor.get(`/jobs/${id}`);
    assert.match(shown.text.replaceAll('<!-- -->', ''), /Changed the waiting job by owner/);
    assert.match(shown.text, /URL, method: POST → PUT, headers, payload/);
    assert.ok(!shown.text.includes('Bearer kept'));
  });

  test('a job moved to another queue keeps its time to the millisecond', async () => {
    const id = await aJob();
    await dashboard.service.work.setQueue(owner.teamId, 'other', {});
    const { scheduledAt } = await find(id);
    const page = await visitor.get(`/jobs/${id}/edit`);
    const [, shown = ''] = /name="scheduled_at"[^>]* value="([^"]+)"/.exec(page.text) ?? [];
    assert.ok(
      new Date(scheduledAt).toISOString().startsWith(shown.slice(0, 16).replace(' ', 'T')),
      shown,
    );
    assert.equal(
      (await edit(id, { ...(await typedOf(id)), queue: 'other', scheduled_at: shown })).status,
      302,
    );
    const job = await find(id);
    assert.deepEqual([job.queue, job.scheduledAt], ['other', scheduledAt]);
    assert.deepEqual(job.headers, [
      ['Authorization', 'Bearer kept'],
      ['X-Old', '1'],
    ]);
  });

  test("editing a job keeps headers that can't be decrypted", async () => {
    const id = await aJob();
    const typed = await typedOf(id);
    const { database } = dashboard.service.store;
    await database.autocommit(`update jobs set sealed_headers = 'v1.elsewhere'`);
    const answer = await edit(id, { ...typed, headers: '' });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /stored headers can.*t be opened with this APP_KEY. Enter them anew/);
    assert.equal((await one(database, 'jobs', { id }))?.sealed_headers, 'v1.elsewhere');
    assert.equal((await edit(id, { ...typed, headers: 'X-New: 1' })).status, 302);
    assert.deepEqual((await find(id)).headers, [['X-New', '1']]);
  });

  test("a started job can't be edited", async () => {
    const id = await aJob();
    const typed = await typedOf(id);
    await dashboard.service.work.fireJob(owner.teamId, id);
    await eventually(async () => (await find(id)).status === 'success');
    const before = await find(id);
    const answer = await edit(id, { ...typed, url: `${target.url}/late` });
    assert.equal(answer.headers.get('location')?.endsWith(`/jobs/${id}`), true);
    assert.deepEqual(await find(id), before);
    assert.equal((await visitor.get(`/jobs/${id}/edit`)).status, 302);
  });
});
