/**
 * Values of secret headers, and of fields that a team or the operator has named: no page, export, command, log or
 * notification shows them.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MASK } from '#domain/runs/masking';
import { startScene } from '#testing/alert-scene';
import { postJson } from '#testing/client';
import { type TestUser, useDashboard } from '#testing/dashboard';
import { before, useStarted } from '#testing/hooks';
import { PlainPage } from '#testing/plain-page';
import { eventually } from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { openSqliteTestStore } from '#testing/stores';
import type { Visitor } from '#testing/visitor';

/** In every value of a masked field or secret header, and nowhere else. */
const SECRET = 'QZQZ';
const URL_PART = `/pay?card=41${SECRET}&n=1`;
const PAYLOAD = `{"n":1.0,"customer":{"card":"42${SECRET}","name":"Ada"}}`;
const RESPONSE = `{"error":"no such IBAN","iban":"DE${SECRET}","shown":"yes"}`;
/** In the query of a GET. */
const NESTED = `{"card":{"number":"43${SECRET}"},"cards":1,"api-key":["44${SECRET}"]}`;
/** The operator has named the last two. */
const SECRET_HEADERS = [
  'X-Auth',
  'X-Session',
  'X-Access-Key',
  'X-Hmac',
  'Authorization',
  'X-House-Name',
  'Api-Key',
];
const valueOf = (name: string) => `${name}-${SECRET}`;
const HEADERS = {
  ...Object.fromEntries(SECRET_HEADERS.map((name) => [name, valueOf(name)])),
  'X-Plain': 'seen',
};
const ASSERTION = { kind: 'json_path_equals', path: '$.iban', expected: '"FR"' } as const;

const receiver = useStarted(startReceiver);
const dashboard = useDashboard({ MASKED_FIELDS: 'iban,api-key', SECRET_HEADERS: 'x-house-name' });
let owner: TestUser;
let member: TestUser;
let visitor: Visitor;
const ids = { cron: '', run: '', failed: '', waiting: '', query: '' };

const LISTS = [
  '/',
  '/crons',
  '/queues',
  '/runs',
  '/runs/export?format=csv',
  '/runs/export?format=jsonl',
  '/failures',
  '/alerts',
  '/jobs?tab=pending',
  '/jobs?tab=failed',
  '/jobs/new',
  '/settings/activity',
  '/find?q=pay',
  '/runs?q=card',
];

const pages = () => [
  `/crons/${ids.cron}`,
  `/crons/${ids.cron}/edit`,
  `/crons/new?from=${ids.cron}`,
  `/executions/${ids.run}`,
  `/executions/${ids.run}?body=whole`,
  `/executions/${ids.run}/text?part=curl`,
  `/jobs/${ids.failed}`,
  `/jobs/${ids.failed}?body=whole`,
  `/jobs/${ids.waiting}`,
  `/jobs/${ids.waiting}/edit`,
  `/jobs/new?from=${ids.failed}`,
  `/jobs/${ids.query}`,
  `/jobs/${ids.query}/text?part=curl`,
  `/jobs/${ids.query}/text?part=call`,
  `/jobs/new?from=${ids.query}`,
  ...['body', 'curl', 'call'].map((part) => `/jobs/${ids.failed}/text?part=${part}`),
];

const mostSeen = new RegExp(`.{0,80}${SECRET}.{0,20}`, 's');

async function assertHidden(who: Visitor, path: string): Promise<string> {
  const { status, text } = await who.get(path);
  assert.ok(status === 200 || status === 302, `${path}: ${status}`);
  assert.equal(mostSeen.exec(text)?.[0], undefined, path);
  return text;
}

const shownEntries = async () => {
  const entries = await dashboard.service.store.activity.list(owner.teamId, {
    limit: 50,
    actions: ['job.secrets-shown', 'cron.secrets-shown'],
  });
  return entries.map(({ action, actorId, subject }) => [action, actorId, subject?.id]);
};

/** The lines of headers in a form, and the mask in them. */
async function readHeaders(path: string) {
  const { text } = await visitor.get(path);
  const lines = /<textarea[^>]*name="headers"[^>]*>([^<]*)</.exec(text)?.[1]?.trim() ?? '';
  const mask = /^X-Hmac: (\S+)$/m.exec(lines)?.[1] ?? assert.fail(lines);
  return { lines, mask };
}

describe('masked values', () => {
  before(async () => {
    receiver.answer('/pay', {
      status: 200,
      headers: { 'X-Pay': '1', iban: `header-${SECRET}` },
      body: RESPONSE,
    });
    owner = await dashboard.user('owner@bells.test');
    member = await dashboard.user('member@bells.test', { role: 'member' });
    const { work } = dashboard.service;
    const { teamId } = owner;
    const settings = { shownField: '$.customer.card', maskedFields: ['card'] };
    await work.editTeamSettings(teamId, settings);
    visitor = await dashboard.signIn(member);
    await work.setQueue(teamId, 'payments', { retrySchedule: [], assertions: [ASSERTION] });
    const url = `${receiver.url}${URL_PART}`;
    const create = async (path: string, body: object) => {
      const answer = await postJson(`${dashboard.url}/api/${path}`, member.apiToken, body);
      assert.equal(answer.status, 201, answer.text);
      assert.doesNotMatch(answer.text, new RegExp(MASK), 'the API answers as ever');
      return answer.json as { id: string; job_id: string };
    };
    const request = { url, headers: HEADERS };
    const job = { ...request, queue: 'payments', payload: JSON.parse(PAYLOAD), callback_url: url };
    const cron = { ...request, name: 'Pay', method: 'POST', cron_expression: '0 0 1 1 *' };
    ids.cron = (await create('crons', { ...cron, payload: PAYLOAD })).id;
    ids.failed = (await create('jobs', job)).job_id;
    ids.waiting = (await create('jobs', { ...job, delay: 3600 })).job_id;
    const query = { ...job, method: 'GET', payload: JSON.parse(NESTED) };
    ids.query = (await create('jobs', query)).job_id;
    await work.editCron(teamId, ids.cron, { assertions: [ASSERTION] });
    assert.ok(await work.runCronNow(teamId, ids.cron));
    await eventually(async () => {
      const [run] = await work.listExecutions(teamId, ids.cron, 1);
      ids.run = run?.id ?? '';
      const failed = await work.findJob(teamId, ids.failed);
      const sent = await work.findJob(teamId, ids.query);
      const isOver = [failed, sent].every((each) => each?.status === 'dead_lettered');
      return run?.status === 'failed' && isOver;
    });
    // A run of the cron, and two jobs with their callbacks.
    await receiver.waitFor(5);
  });

  test('no page, form, text to copy or export shows values of masked fields or secret headers', async () => {
    for (const path of [...LISTS, ...pages()]) {
      const text = await assertHidden(visitor, path);
      if (LISTS.includes(path)) assert.doesNotMatch(text, /"seen"|>seen</, path);
      if (!/^\/$|text|export|find/.test(path))
        await assertHidden(visitor, path.replace(/(\?|$)/, '.data$1'));
    }
    const { text } = await visitor.get(`/jobs/${ids.failed}`);
    for (const part of ['Ada', 'no such IBAN', 'n=1', 'X-Pay', 'seen', 'Show secrets'])
      assert.ok(text.includes(part), `${part} is shown`);
    assert.deepEqual(await shownEntries(), []);
  });

  test('a member can show them, which is recorded once in ten minutes', async () => {
    for (const path of [`/jobs/${ids.failed}`, `/executions/${ids.run}`]) {
      for (const more of [
        '?secrets=shown',
        '?secrets=shown&body=whole',
        '/text?part=curl&secrets=shown',
      ]) {
        const { text } = await visitor.get(`${path}${more}`);
        assert.match(text, new RegExp(`41${SECRET}`), `${path}${more}`);
      }
    }
    const form = await PlainPage.open(visitor, `/crons/${ids.cron}/edit`);
    await form.press('Show secrets', { Name: 'Typed', Headers: `X-Hmac: ${MASK}\nX-New: new` });
    assert.equal(form.field('Name'), 'Typed');
    assert.equal(form.field('Payload'), PAYLOAD);
    assert.equal(form.field('Headers'), `X-Hmac: ${valueOf('X-Hmac')}\nX-New: new`);
    form.shows('Secrets are shown, and the activity records that.');
    assert.deepEqual(await shownEntries(), [
      ['cron.secrets-shown', member.userId, ids.cron],
      ['job.secrets-shown', member.userId, ids.failed],
    ]);
  });

  test('a test run of a masked form sends the values and shows them masked', async () => {
    for (const [path, from] of [
      [`/crons/${ids.cron}/edit`, null],
      ['/crons/new', ids.cron],
      ['/jobs/new', ids.waiting],
    ] as const) {
      const { lines } = await readHeaders(from === null ? path : `${path}?from=${from}`);
      const tried = await visitor.post(path, {
        intent: 'test',
        url: `${receiver.url}/pay?card=${MASK}&n=2`,
        method: 'POST',
        payload: '{}',
        timeout_seconds: '30',
        headers: lines.replace(/^X-Session: .*$/m, 'X-Session: just-typed'),
        ...(from !== null && { from, queue: 'payments' }),
      });
      assert.equal(tried.status, 200, path);
      const { url, headers } = receiver.requests.at(-1) ?? assert.fail();
      assert.equal(url, `/pay?card=41${SECRET}&n=2`);
      assert.equal(headers['x-house-name'], valueOf('X-House-Name'));
      assert.ok(tried.text.split('just-typed').length > 2, 'what was typed is shown');
      assert.equal(mostSeen.exec(tried.text)?.[0], undefined, path);
    }
  });

  test('saving a masked form keeps the values that it does not show and stores newly typed ones', async () => {
    const { work } = dashboard.service;
    const edit = `/crons/${ids.cron}/edit`;
    const url = `${receiver.url}/pay?card=${MASK}&n=2`;
    const payload = PAYLOAD.replace(`42${SECRET}`, MASK).replace('1.0', '2.0');
    const { lines, mask } = await readHeaders(edit);
    const headers = lines.replace(`X-Auth: ${mask}`, 'X-Auth: typed anew');
    const form = { url, method: 'POST', payload, headers, timeout_seconds: '30', is_active: '1' };
    const named = { ...form, name: 'Pay', cron_expression: '0 0 1 1 *' };
    for (const wrong of [
      { payload: `{"pin":"${MASK}"}` },
      { headers: `X-Unknown: ${mask}` },
      { name: '' },
    ]) {
      const refused = await visitor.post(edit, { ...named, ...wrong });
      assert.equal(refused.status, 422);
      if ('payload' in wrong) assert.match(refused.text, /stands for a hidden value/);
      if ('name' in wrong) assert.ok(refused.text.includes('typed anew'), 'what was typed stays');
    }
    const saved = await visitor.post(edit, named);
    assert.equal(saved.status, 302, saved.text.slice(0, 300));
    const wanted = [`${receiver.url}/pay?card=41${SECRET}&n=2`, PAYLOAD.replace('1.0', '2.0')];
    const cron = await work.findCron(owner.teamId, ids.cron);
    assert.deepEqual([cron?.url, cron?.payload], wanted);
    const { 'X-Auth': typed, ...others } = Object.fromEntries(cron?.headers ?? []);
    const { 'X-Auth': _, ...kept }: Record<string, string> = HEADERS;
    assert.deepEqual([typed, others], ['typed anew', kept]);
    const waiting = await work.findJob(owner.teamId, ids.waiting);
    const scheduled_at = new Date(waiting?.scheduledAt ?? 0).toISOString().slice(0, 16);
    const times = { queue: 'payments', scheduled_at, callback_url: '' };
    const edited = await visitor.post(`/jobs/${ids.waiting}/edit`, { ...form, ...times });
    assert.equal(edited.status, 302, edited.text.slice(0, 300));
    const job = await work.findJob(owner.teamId, ids.waiting);
    assert.deepEqual([job?.url, job?.payload], wanted);
  });

  test('requests to targets and callbacks have the values', async () => {
    const bodies = receiver.requests
      .filter(({ url }) => url === URL_PART)
      .map(({ body }) => JSON.parse(String(body)) as { error_message?: string });
    const { callbacks = [], runs } = Object.groupBy(bodies, ({ error_message }) =>
      error_message === undefined ? 'runs' : 'callbacks',
    );
    assert.deepEqual(runs, [JSON.parse(PAYLOAD), JSON.parse(PAYLOAD)]);
    assert.equal(callbacks.length, 2);
    for (const { error_message } of callbacks)
      assert.match(error_message ?? '', new RegExp(`"DE${SECRET}"`));
  });

  test('the activity and the log have no value', async () => {
    await visitor.post(`/crons/${ids.cron}`, { intent: 'pause' });
    await assertHidden(visitor, '/settings/activity');
    assert.doesNotMatch(JSON.stringify(dashboard.events), new RegExp(SECRET));
  });

  test('only an admin may change the names', async () => {
    const change = { intent: 'masked_fields', masked_fields: '' };
    assert.equal((await visitor.post('/settings/team', change)).status, 403);
    const { work } = dashboard.service;
    const { maskedFields } = await work.readTeamSettings(owner.teamId);
    assert.deepEqual(maskedFields, ['card']);
    const admin = await dashboard.signIn(owner);
    const wrong = await admin.post('/settings/team', { ...change, masked_fields: 'a=b' });
    assert.match(wrong.text, /can be no name of a field/);
    const wrongPath = { intent: 'shown_field', shown_field: 'a..b' };
    const other = await admin.post('/settings/team', wrongPath);
    assert.equal(other.status, 422);
    assert.match(other.text, /name="masked_fields"[^>]*value="card"/, 'the other form stays');
    const saved = await admin.post('/settings/team', { ...change, masked_fields: 'Card, pin' });
    assert.equal(saved.status, 302);
    const after = await work.readTeamSettings(owner.teamId);
    assert.deepEqual(after, { shownField: '$.customer.card', maskedFields: ['card', 'pin'] });
  });
});

test('a notification hides masked fields of its response and error', async () => {
  await using scene = await startScene(openSqliteTestStore);
  const { service, chat, target, teamId } = scene;
  await service.store.teams.changeSettings(teamId, { shownField: null, maskedFields: ['iban'] });
  target.answer('/pay', { status: 200, body: RESPONSE });
  const cronId = await scene.makeCron({ url: `${target.url}/pay` });
  await service.work.editCron(teamId, cronId, { assertions: [ASSERTION] });
  await scene.run(cronId, 'x');
  await scene.allSent();
  const posted = chat.requests.map(({ body }) => body.toString()).join('\n');
  assert.match(posted, /no such IBAN/);
  assert.match(posted, new RegExp(MASK));
  assert.doesNotMatch(posted, mostSeen);
});
