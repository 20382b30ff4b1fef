import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readVerificationSamples } from '#dashboard/words/verification-samples';
import { before } from '#testing/hooks';
import { type TestUser } from '#testing/dashboard';
import { processMs } from '#testing/spent-time';
import { usePages } from '#testing/pages';

/** Token, signing, billing, and how soon a page is there. */

let owner: TestUser;

const { dashboard, visit } = usePages();
before(async () => {
  owner = await dashboard.user('owner@bells.test');
});

test('a signing secret is generated, revealed, rotated and deleted; the next one is prepared and activated', async () => {
  const user = await dashboard.newTeam();
  const page = await visit('/settings/signing', user);
  const shown = () => page.part('[aria-label="signing secret"]').text;
  await page.press('Generate secret');
  const secret = shown();
  await page.go('/settings/signing');
  assert.ok(!page.html.includes(secret), 'masked until asked for');
  await page.press('Reveal');
  assert.equal(shown(), secret);
  await page.go('/settings/signing');
  await page.press('Rotate');
  assert.notEqual(shown(), secret);
  await page.go('/settings/signing');
  await page.press('Delete');
  page.shows('Requests are no longer signed.');

  const post = async (intent: string) =>
    /whsec_[\w-]{43}/.exec((await page.visitor.post('/settings/signing', { intent })).text)?.[0];
  const next = (await post('generate-next')) ?? assert.fail('it is not shown');
  await page.go('/settings/signing');
  assert.ok(!page.html.includes(next) && page.html.includes(next.slice(-4)));
  page.shows('There is none: requests carry neither signature');
  await post('generate-next');
  assert.equal(await post('reveal-next'), next, 'the one that receivers have');
  await post('use-next');
  assert.equal(await post('reveal'), next);
  await post('generate-next');
  await post('delete-next');
  assert.equal(await post('reveal'), next, 'the present one stays');
  assert.equal(await post('reveal-next'), undefined);
});

test('the page about signing shows the code for receivers that is tested in spec/5.6', async () => {
  const page = await visit('/settings/signing', owner);
  const docs = fs.readFileSync(path.join(import.meta.dirname, '../../docs/signing.md'), 'utf8');
  for (const { language, code } of readVerificationSamples(docs)) {
    const [shown] = page.all(`[aria-label="code in ${language}"]`);
    assert.equal(shown?.textContent, code);
  }
});

test('the owner sees the usage, and every member is warned at 80 % and 100 %', async () => {
  const boss = await dashboard.user('boss@small.test', { team: 'Small' });
  const helper = await dashboard.user('helper@small.test', { team: 'Small', role: 'member' });
  const { store, people } = dashboard.service;
  await people.operator.setPlan(boss.teamId, 'small');
  const use = async (runs: number) => {
    for (let n = 0; n < runs; n++) await store.usage.countOne(boss.teamId, 10, Date.now());
  };
  const read = async (user: TestUser, path: string) =>
    (await (await dashboard.signIn(user)).get(path)).text;
  await use(7);
  assert.doesNotMatch(await read(helper, '/'), /monthly limit is near|Monthly limit reached/i);
  await use(1);
  assert.ok((await read(helper, '/')).includes('The monthly limit is near'));
  assert.ok((await read(boss, '/settings/billing')).includes('8 of 10 runs'));
  await use(2);
  assert.ok((await read(helper, '/')).includes('Monthly limit reached'));
});

test('a page costs less than 250 ms of processor time, and the first one loads less than 250 kB of scripts', async () => {
  const paths = ['/', '/alerts', '/maintenance', '/maintenance/new', '/teams/new'];
  const settings = [
    'profile',
    'api-token',
    'team',
    'members',
    'signing',
    'notifications',
    'billing',
    'activity',
  ];
  paths.push(...settings.map((page) => `/settings/${page}`));
  const visitor = await dashboard.signIn(owner);
  for (const path of paths) {
    // What else the process does only ever adds to it, so the least counts: it is some 10 ms.
    let leastMs = Infinity;
    for (let round = 0; round < 3; round++) {
      const from = processMs();
      assert.equal((await visitor.get(path)).status, 200, path);
      leastMs = Math.min(leastMs, processMs() - from);
    }
    assert.ok(leastMs < 250, `${path} takes ${Math.round(leastMs)} ms`);
  }
  const page = await visitor.get('/');
  const scripts = new Set(page.text.match(/\/assets\/[\w.-]+\.js/g));
  let bytes = 0;
  for (const script of scripts) {
    const answer = await fetch(`${dashboard.url}${script}`, {
      headers: { 'Accept-Encoding': 'br' },
    });
    bytes += Number(answer.headers.get('Content-Length'));
  }
  assert.ok(scripts.size > 3 && bytes < 250_000, `${bytes} bytes in ${scripts.size} scripts`);
});
