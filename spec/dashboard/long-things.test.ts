import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { press, usePages } from '#testing/pages';

/** Pages stay small and readable whatever people put into names and payloads. */

let user: TestUser;

const { dashboard, open } = usePages({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test');
});

const createJob = (queue: string, payloadJson: string | null) =>
  dashboard.service.work.createJob(user.teamId, {
    queue,
    url: 'http://target.example/hook',
    method: 'POST',
    headers: [['Authorization', 'Bearer hush']],
    payloadJson,
    callbackUrl: null,
    delaySeconds: 3600,
  });

const KB = 1_000;

describe('a job with a payload of 900 kB', () => {
  const payload = JSON.stringify({ rows: ['é'.repeat(10), 'x'.repeat(900 * KB)] });

  test('the page of a job with 900 kB has less than 150 kB and loads the rest on request', async () => {
    const { jobId } = await createJob('mail', payload);
    const ada = await dashboard.signIn(user);
    const page = await ada.get(`/jobs/${jobId}`);
    assert.ok(page.text.length < 150 * KB, `${page.text.length}`);
    assert.ok((await ada.get(`/jobs/${jobId}.data`)).text.length < 75 * KB);
    const text = (part: string) => ada.get(`/jobs/${jobId}/text?part=${part}`);
    const body = await text('body');
    assert.equal(body.text, payload.replaceAll('é', String.raw`\u00e9`));
    assert.match(body.headers.get('Content-Type') ?? '', /^text\/plain/);
    assert.equal(body.headers.get('X-Content-Type-Options'), 'nosniff');
    const curl = await text('curl');
    assert.match(curl.text, /^curl .*--request POST 'http:\/\/target\.example\/hook'/);
    assert.ok(curl.text.length > 900 * KB && !curl.text.includes('hush'), 'secrets stay masked');
    assert.equal((await text('else')).status, 404);
    const outsider = await dashboard.user('mallory@other.test', { team: 'Other' });
    const theirs = await dashboard.signIn(outsider);
    assert.equal((await theirs.get(`/jobs/${jobId}/text?part=body`)).status, 404);
  });

  test('a small job and one with 900 kB can be copied as a command without secrets', async () => {
    const small = await createJob('mail', '{"order":7}');
    const { jobId } = await createJob('mail', payload);
    await using watched = await open(`/jobs/${small.jobId}`, user);
    const { page, context } = watched;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copy = async (word: string) => {
      await press(page.locator('main'), word);
      await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    const call = await copy('Copy as API call');
    assert.ok(call.includes('/api/jobs') && call.includes('{"order":7}'), call);
    assert.ok(!call.includes('hush'), call);
    await page.goto(`${dashboard.url}/jobs/${jobId}`);
    // As in Safari, which refuses what comes after the click: here all but what is written during it.
    await page.evaluate(`{
      const { clipboard } = navigator;
      const write = clipboard.write.bind(clipboard);
      let isClicking = false;
      const refuse = () => Promise.reject(new DOMException('Too late', 'NotAllowedError'));
      clipboard.writeText = refuse;
      clipboard.write = (items) => (isClicking ? write(items) : refuse());
      document.execCommand = () => false;
      addEventListener('click', () => (isClicking = true), { capture: true });
      addEventListener('click', () => setTimeout(() => (isClicking = false)));
    }`);
    const curl = await copy('Copy as curl');
    assert.ok(curl.startsWith('curl ') && curl.length > 900 * KB && !curl.includes('hush'));
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    watched.assertNoFaults();
  });
});
