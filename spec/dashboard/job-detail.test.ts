import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '#domain/http/signature';
import { before } from '#testing/hooks';
import { freePort } from '#testing/free-port';
import type { TestUser } from '#testing/dashboard';
import { usePages } from '#testing/pages';
import type { PlainPage } from '#testing/plain-page';
import { A_CRON } from '#testing/factories';
import { eventually } from '#testing/process';
import type { JobInput } from '#work/resources/job';

/** One run looked into: what was sent, what came back, why it failed (§2.5–2.7, §5.9). */

let user: TestUser;

const { createJob, dashboard, ended, target, visit: visitPage } = usePages();
before(async () => {
  user = await dashboard.user('ada@bells.test');
  await dashboard.service.work.setQueue(user.teamId, 'mail', { retrySchedule: [] });
});

/** Runs a job to its end. Gives its id. */
async function run(path: string, job: Partial<JobInput> = {}, who = user): Promise<string> {
  return (await ended(who, await createJob(who, path, job))).id;
}

const visit = (path: string, who = user) => visitPage(path, who);

describe('the page of a job', () => {
  test('the page of a job shows a response body as text', async () => {
    target.answer('/html', {
      status: 500,
      headers: { 'Content-Type': 'text/html' },
      body: '<script>document.title = "owned"</script><h1 id="owned">Owned</h1>',
    });
    const id = await run('/html');
    const page = await visit(`/jobs/${id}`);
    page.part('[aria-label="response body"]').shows('<h1 id="owned">Owned</h1>');
    assert.equal(page.all('#owned').length, 0);
  });

  test('the page of a redirected job offers its target URL and keeps the secrets', async () => {
    target.answer('/old', { status: 301, headers: { Location: '/new?x=1' } });
    const id = await run('/old', {
      headers: [['Authorization', 'Bearer s3cret-token']],
      payloadJson: '{"n":1.0}',
    });
    const page = await visit(`/jobs/${id}`);
    await page.follow('Use this URL');
    assert.equal(page.heading, 'Create job again');
    assert.equal(page.field('URL'), `${target.url}/new?x=1`);
    page.shows(`comes from the link that you opened. The stored URL is ${target.url}/old.`);
    assert.equal(page.html.includes('s3cret-token'), false);
    await page.press('Create job');
    page.shows('The job is created.');
    const request = await target.next(({ url }) => url === '/new?x=1');
    assert.equal(request.headers.authorization, 'Bearer s3cret-token');
    assert.equal(request.body.toString(), '{"n":1.0}');
  });

  test('the page of a job loads the rest of a long body on demand', async () => {
    target.answer('/long', { body: `${'x'.repeat(5000)}the end` });
    const id = await run('/long');
    const page = await visit(`/jobs/${id}`, user);
    assert.equal(page.html.includes('the end'), false);
    await page.follow('Show the rest');
    page.shows('the end');
  });
});

describe('a signed request (§5.6)', () => {
  let signer: TestUser;

  before(async () => {
    signer = await dashboard.user('grace@seals.test', { team: 'Seals' });
    await dashboard.service.work.setQueue(signer.teamId, 'mail', { retrySchedule: [] });
  });

  const rotate = (): Promise<string> =>
    dashboard.service.people.operator.generateSigningSecret(signer.teamId);

  const runFor = (path: string, job: Partial<JobInput> = {}) => run(path, job, signer);

  const shownHeaders = (page: PlainPage): string[][] =>
    page
      .part('table', 'Request headers')
      .all('tr')
      .map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? ''));

  test('the page of a refused connection shows that nothing was sent', async () => {
    await rotate();
    const url = `http://127.0.0.1:${await freePort()}/`;
    const page = await visit(`/jobs/${await run('/', { url }, signer)}`, signer);
    page.shows('The connection was refused', 'Tried 127.0.0.1');
    page.part('h2', /^Request$/);
    page.lacks('Request as sent', 'Signed with', /X-Service-|Signed bytes|Headers \(0\)/);
  });

  test('a signed request is shown with all headers and signed bytes, also after a new secret', async () => {
    const secret = await rotate();
    const headers = [
      ['X-One', '1'],
      ['x-service-TIMESTAMP', '7'],
      ['Host', 'other.test'],
    ] as const;
    const id = await runFor('/signed', { headers, payloadJson: '{"a":"é"}' });
    const { rawHeaders, body } = await target.next(({ url }) => url === '/signed');
    const arrived = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
    );
    const valueOf = (name: string) => arrived.find(([each]) => each === name)?.[1] ?? '';
    await rotate();

    const page = await visit(`/jobs/${id}`, signer);
    const masked = arrived.map(([name = '', value = '']) => [
      name,
      name === SIGNATURE_HEADER ? '••••••••' : value,
    ]);
    assert.deepEqual(shownHeaders(page), masked);
    assert.equal(page.html.includes(valueOf(SIGNATURE_HEADER)), false);
    await page.follow('Show secrets');
    assert.ok(page.links.includes('Hide secrets'));
    assert.deepEqual(shownHeaders(page), arrived);
    assert.equal(page.html.includes(secret), false);
    const signed = page.all('[aria-label="signed bytes"]')[0]?.textContent ?? '';
    assert.equal(signed, `${valueOf(TIMESTAMP_HEADER)}.${body.toString()}`);
    const expected = createHmac('sha256', secret).update(signed).digest('hex');
    assert.equal(valueOf(SIGNATURE_HEADER), expected);
  });

  for (const method of ['GET', 'PUT'] as const) {
    test(`a signed ${method} without a payload is shown with all its headers, and copied unsigned`, async () => {
      await rotate();
      const path = `/signed-${method}`;
      const id = await runFor(path, { method, headers: [['X-One', '1']] });
      const { rawHeaders, body } = await target.next(({ url }) => url === path);
      const { work } = dashboard.service;
      const run = await work.readJobDetail(signer.teamId, id, { showSecrets: true });
      const shown = run?.request.headers.flatMap(({ name, value }) => [name, value]);
      assert.deepEqual(shown, rawHeaders);
      const timestamp = rawHeaders[rawHeaders.indexOf(TIMESTAMP_HEADER) + 1];
      assert.equal(run?.request.signedText, `${timestamp}.${body.toString()}`);
      assert.match(run.curl, /--header 'X-One: 1'/);
      assert.doesNotMatch(run.curl, /X-Service-/, 'a signature expires');
    });
  }

  test("an execution shows its signed bytes until the cron's payload is edited", async () => {
    const { work } = dashboard.service;
    await rotate();
    const input = { ...A_CRON, name: 'Sealed', url: `${target.url}/cron`, payload: '{"n":1}' };
    const cron = await work.createCron(signer.teamId, input);
    const run = (await work.runCronNow(signer.teamId, cron.id)) ?? assert.fail('no such cron');
    await eventually(
      async () => (await work.listExecutions(signer.teamId, cron.id, 1))[0]?.completedAt,
    );
    const { headers, body } = await target.next(({ url }) => url === '/cron');
    const page = await visit(`/executions/${run.id}`, signer);
    const signed = `${String(headers['x-service-timestamp'])}.${body.toString()}`;
    assert.equal(page.all('[aria-label="signed bytes"]')[0]?.textContent, signed);
    page.lacks('edited after this run');
    await work.editCron(signer.teamId, cron.id, { ...input, payload: '{"n":2}' });
    await page.go(page.path);
    page.shows('payload was edited after this run');
    page.lacks('Signed bytes');
  });
});
