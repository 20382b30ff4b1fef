import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A_CRON, aNode, FAILED, runCron } from '#testing/factories';
import { PASSWORD, type TestUser } from '#testing/dashboard';
import { fillExecutions, fillJobs } from '#testing/fill';
import { usePages } from '#testing/pages';

/** Tables on narrow screens, and what the focus shows of them. */

const { dashboard, open } = usePages({}, { sends: false });

/** Of a request's line: the characters that something cuts off. */
const FIND_HIDDEN = `((line) => {
  const hidden = [];
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.data.length; at++) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      let isCut = box.width === 0;
      for (let around = node.parentElement; around && around.tagName !== 'MAIN'; around = around.parentElement) {
        if (getComputedStyle(around).overflow === 'visible') continue;
        const edge = around.getBoundingClientRect();
        if (box.right > edge.right + 1 || box.left < edge.left - 1 || box.bottom > edge.bottom + 2) isCut = true;
      }
      if (isCut && node.data[at].trim() !== '') hidden.push(node.data[at]);
    }
  }
  return hidden.join('');
})(document.querySelector('main [class*=_request]'))`;

const ROW_WIDTHS = [360, 600, 899];

/** In the page: rows that are higher than two lines. */
const FIND_HIGH_ROWS = `[...document.querySelectorAll('main tbody tr')]
  .filter((row) => row.getBoundingClientRect().height > 68)
  .map((row) => row.getBoundingClientRect().height + ' px: ' + row.innerText.replaceAll(/\\s*\\n\\s*/g, ' | '))`;

/** A team with names and addresses of usual lengths in everything that is listed. */
async function makeUsualLists(): Promise<{ user: TestUser; paths: string[] }> {
  const user = await dashboard.user('usual@bells.test', { team: 'Usual' });
  await dashboard.user('grace@bells.test', { team: 'Usual', role: 'admin' });
  const { work, store } = dashboard.service;
  const queue = await work.setQueue(user.teamId, 'thumbnails', { concurrencyLimit: 4 });
  const url = 'https://api.northwind.example/thumbnails/broken';
  const cron = await work.createCron(user.teamId, {
    ...A_CRON,
    name: 'Rebuild the search index',
    url,
    cronExpression: '0 6 * * MON-FRI',
    alertThreshold: 1,
  });
  const completed_at = Date.now() - 3 * 86_400_000;
  const row = { team_id: user.teamId, queue_id: queue.id, url, completed_at, duration_ms: 993 };
  const failed = { ...row, status: 'dead_lettered' };
  const error_message =
    'Assertion failed: JSON path width equals: expected 320, got nothing at this path';
  await fillJobs(store, [
    { ...failed, reason: 'timeout' },
    { ...failed, reason: 'assertion_failed', response_status: 200, error_message },
    { ...failed, reason: 'http_server_error', response_status: 503 },
    { ...row, status: 'success', response_status: 200 },
    { ...row, completed_at: null, duration_ms: null, scheduled_at: Date.now() + 7_200_000 },
  ]);
  const run = { team_id: user.teamId, cron_id: cron.id, completed_at, duration_ms: 993 };
  await fillExecutions(store, [
    run,
    { ...run, status: 'failed', reason: 'http_server_error', response_status: 503 },
  ]);
  const node = await aNode(store);
  const end = { ...FAILED.end, errorMessage: 'HTTP 503 error', responseStatus: 503 };
  await runCron(store, node, { teamId: user.teamId, id: cron.id }, { ...FAILED, end });
  await runCron(store, node, { teamId: user.teamId, id: cron.id });
  const account = { intent: 'create', name: 'billing-service', password: PASSWORD };
  await (await dashboard.signIn(user)).post('/settings/service-accounts', account);
  await work.startMaintenanceNow(user.teamId, [{ kind: 'queue', id: queue.id }]);
  return {
    user,
    paths: `/crons /queues /jobs?tab=pending /jobs?tab=failed /failures /runs /alerts /maintenance
      /settings/members /settings/service-accounts`.split(/\s+/),
  };
}

describe('a table', () => {
  test('rows have two lines of at most 68 px on phones and tablets', async () => {
    const { user, paths } = await makeUsualLists();
    await using watched = await open('/healthz', user);
    const { page } = watched;
    const high: string[] = [];
    for (const path of paths) {
      await page.goto(`${dashboard.url}${path}`);
      await page.getByRole('table').first().waitFor();
      for (const width of ROW_WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const found = (await page.evaluate(FIND_HIGH_ROWS)) as string[];
        high.push(...found.map((row) => `${path} at ${width}: ${row}`));
      }
    }
    assert.deepEqual(high, []);
    watched.assertNoFaults();
  });

  test('a table shows the whole request on keyboard focus only', async () => {
    const user = await dashboard.user('focus@bells.test', { team: 'Focus' });
    const { work, store } = dashboard.service;
    const queue = await work.setQueue(user.teamId, 'mail', {});
    const url = `https://api.northwind.example/${'hooks/of/november/'.repeat(20)}end`;
    await work.createCron(user.teamId, {
      ...A_CRON,
      name: 'Close',
      url,
      method: 'GET',
      cronExpression: '15 4 * * *',
    });
    await fillJobs(store, [
      {
        team_id: user.teamId,
        queue_id: queue.id,
        url,
        status: 'dead_lettered',
        completed_at: Date.now() - 60_000,
        reason: 'timeout',
      },
    ]);
    await using watched = await open('/healthz', user);
    const { page } = watched;
    for (const path of ['/jobs', '/crons']) {
      await page.goto(`${dashboard.url}${path}`);
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const line = page.locator('main [class*=_request]').first();
        const link = line.locator('xpath=(ancestor::a | ../preceding-sibling::span/a)[1]');
        await page.keyboard.press('Shift');
        await link.blur();
        const hidden = (await page.evaluate(FIND_HIDDEN)) as string;
        assert.notEqual(hidden, '', `${path} at ${width}, without the focus`);
        await link.focus();
        assert.equal(await page.evaluate(FIND_HIDDEN), '', `${path} at ${width}`);
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      }
    }
    watched.assertNoFaults();
  });
});
