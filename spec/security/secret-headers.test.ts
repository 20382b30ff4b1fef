import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';
import { eventually } from '#testing/process';
import { type Receiver, startReceiver } from '#testing/receiver';
import type { Visitor } from '#testing/visitor';

/** Somebody looks over a shoulder, or reads a page that was shared: no page shows a secret before it is asked for. */

const NAMES = ['X-Auth', 'X-Session', 'X-Access-Key', 'X-Hmac', 'Authorization', 'X-House-Name'];
const valueOf = (name: string) => `value-of-${name.toLowerCase()}`;

let dashboard: TestDashboard;
let receiver: Receiver;
let user: TestUser;
let visitor: Visitor;
let cronId: string;
let jobId: string;

before(async () => {
  receiver = await startReceiver();
  dashboard = await startDashboard({ SECRET_HEADERS: 'x-house-name' });
  user = await dashboard.user('ada@bells.test');
  visitor = await dashboard.signIn(user);
  const headers = Object.fromEntries([...NAMES, 'X-Plain'].map((name) => [name, valueOf(name)]));
  const create = async (path: string, body: object) => {
    const answer = await fetch(`${dashboard.url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${user.apiToken}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string; job_id: string };
  };
  const url = `${receiver.url}/hook`;
  const cron = { name: 'Masked', url, cron_expression: '0 0 1 1 *', headers };
  cronId = (await create('/api/crons', cron)).id;
  jobId = (await create('/api/jobs', { queue: 'q', url, payload: {}, headers, delay: 3600 }))
    .job_id;
  const { work } = dashboard.service;
  receiver.answer('/down', { status: 500 });
  await work.setQueue(user.teamId, 'down', { retrySchedule: [] });
  const down = { queue: 'down', url: `${receiver.url}/down`, payload: {}, headers };
  const { job_id: failed } = await create('/api/jobs', down);
  await eventually(
    async () => (await work.findJob(user.teamId, failed))?.status === 'dead_lettered',
  );
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await receiver.close();
});

const pages = (): [string, string][] => [
  ['the form of a cron', `/crons/${cronId}/edit`],
  ['the form of its copy', `/crons/new?from=${cronId}`],
  ['the page of the cron', `/crons/${cronId}`],
  ['the page of a job', `/jobs/${jobId}`],
  ['the form of another such job', `/jobs/new?from=${jobId}`],
];

/** With a job that has failed. Headers are no part of them. */
const LISTS = [
  '/',
  '/crons',
  '/queues',
  '/jobs?tab=failed',
  '/jobs?tab=pending',
  '/failures',
  '/runs',
  '/alerts',
];

describe('the values of secret headers', () => {
  test('secret header values are on no page and in no form, and the operator can add names', async () => {
    for (const [what, path] of pages()) {
      for (const each of [path, path.replace(/(\?|$)/, '.data$1')]) {
        const { status, text } = await visitor.get(each);
        assert.equal(status, 200, each);
        for (const name of NAMES) assert.ok(!text.includes(valueOf(name)), `${what}: ${name}`);
        if (!what.startsWith('the page of the cron')) {
          assert.ok(text.includes(valueOf('X-Plain')), `${what} shows what is no secret`);
        }
      }
    }
  });

  test('lists and the overview carry no header value, not even in the data of their pages', async () => {
    for (const path of LISTS) {
      const { status, text } = await visitor.get(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(text, /value-of-/, path);
    }
  });

  test('secret header values are shown on request', async () => {
    const { text } = await visitor.get(`/crons/${cronId}/edit?secrets=shown`);
    for (const name of NAMES) assert.ok(text.includes(valueOf(name)), name);
  });

  test('saving a masked form keeps secret header values and stores the newly typed one', async () => {
    const { text } = await visitor.get(`/crons/${cronId}/edit`);
    const area = /<textarea[^>]*name="headers"[^>]*>([^<]*)</.exec(text)?.[1] ?? '';
    const mask = /^X-Hmac: (\S+)$/m.exec(area)?.[1] ?? '';
    assert.ok(mask !== '' && !mask.includes('value'), area);
    const headers = area.replace(`X-Auth: ${mask}`, 'X-Auth: typed anew').trim();
    const form = {
      name: 'Masked',
      url: `${receiver.url}/hook`,
      method: 'GET',
      cron_expression: '0 0 1 1 *',
      timeout_seconds: '30',
      is_active: '1',
      headers,
    };
    // A form that is refused shows again what was typed, and loses none of it.
    const refused = await visitor.post(`/crons/${cronId}/edit`, { ...form, name: '' });
    assert.equal(refused.status, 422);
    assert.ok(refused.text.includes('typed anew'));
    const saved = await visitor.post(`/crons/${cronId}/edit`, form);
    assert.equal(saved.status, 302, saved.text.slice(0, 300));
    const cron = await dashboard.service.work.findCron(user.teamId, cronId);
    const stored = Object.fromEntries(cron?.headers ?? []);
    assert.equal(stored['X-Auth'], 'typed anew');
    for (const name of NAMES.slice(1)) assert.equal(stored[name], valueOf(name), name);
  });

  test('a test run of a masked form sends secret header values and shows them masked', async () => {
    const forms: [path: string, fields: Record<string, string>][] = [
      [`/crons/${cronId}/edit`, {}],
      ['/crons/new', { from: cronId }],
      ['/jobs/new', { from: jobId, queue: 'q' }],
    ];
    for (const [path, fields] of forms) {
      const { text } = await visitor.get(path.replace('new', `new?from=${fields['from']}`));
      const area = /<textarea[^>]*name="headers"[^>]*>([^<]*)</.exec(text)?.[1] ?? '';
      const mask = /^X-Hmac: (\S+)$/m.exec(area)?.[1] ?? '';
      const headers = area.replace(/^X-Session: .*$/m, 'X-Session: just-typed').trim();
      assert.ok(headers.includes(`X-House-Name: ${mask}`), headers);
      const tried = await visitor.post(path, {
        intent: 'test',
        url: `${receiver.url}/hook`,
        method: 'POST',
        payload: '{}',
        timeout_seconds: '30',
        headers,
        ...fields,
      });
      assert.equal(tried.status, 200, path);
      assert.match(tried.text, /Test run: success/);
      const sent = receiver.requests.at(-1)?.headers ?? {};
      assert.equal(sent['x-house-name'], valueOf('X-House-Name'));
      assert.ok(tried.text.split('just-typed').length > 2, 'what was typed is shown');
      for (const name of ['X-Hmac', 'X-House-Name', 'Authorization'])
        assert.ok(!tried.text.includes(valueOf(name)), `${path}: ${name}`);
    }
  });

  test('a mask under another header name is rejected', async () => {
    const { text } = await visitor.get(`/crons/${cronId}/edit`);
    const mask = /^X-Hmac: (\S+)$/m.exec(text)?.[1] ?? '';
    const answer = await visitor.post(`/crons/${cronId}/edit`, {
      name: 'Masked',
      url: `${receiver.url}/hook`,
      method: 'GET',
      cron_expression: '0 0 1 1 *',
      timeout_seconds: '30',
      headers: `X-Unknown: ${mask}`,
    });
    assert.equal(answer.status, 422);
    const cron = await dashboard.service.work.findCron(user.teamId, cronId);
    assert.ok(cron?.headers.some(([name]) => name === 'X-Hmac'));
  });
});
