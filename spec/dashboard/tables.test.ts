import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A_CRON, aNode, FAILED, runCron } from '#testing/factories';
import { PASSWORD, type TestUser } from '#testing/dashboard';
import { fillExecutions, fillJobs } from '#testing/fill';
import { openPage, usePages } from '#testing/pages';

/** Tables at every width: less important columns give way, then rows get two lines, and their contents can be read. */

const { browser, dashboard } = usePages({}, { sends: false });

const WIDTHS = [360, 700, 768, 900, 1024, 1280, 1920, 2560];

/** A team with long names and addresses in everything that is listed. */
async function makeLists(): Promise<{ user: TestUser; paths: string[] }> {
  const user = await dashboard.user('wide@bells.test', { team: 'Wide' });
  await dashboard.user('second@bells.test', { team: 'Wide', role: 'admin' });
  const { work, store } = dashboard.service;
  const queue = await work.setQueue(user.teamId, 'invoices-and-reminders', {});
  const url = 'https://api.northwind.example:8443/hooks/orders/2026/november/created?customer=4711';
  const request = { method: 'DELETE', headers: [], callbackUrl: null } as const;
  const cron = await work.createCron(user.teamId, {
    ...request,
    name: 'Close the month of every customer in the northern region',
    url,
    cronExpression: '15 4 * * MON-FRI',
    payload: null,
    timeoutSeconds: 20,
    alertThreshold: 1,
    isActive: true,
  });
  await work.pauseQueue(user.teamId, queue.id);
  const row = { team_id: user.teamId, queue_id: queue.id, url, method: 'DELETE' };
  const failed = { status: 'dead_lettered', duration_ms: 12_345, attempt_number: 4 };
  const completed_at = Date.now() - 86_400_000;
  await fillJobs(store, [
    { ...row, ...failed, completed_at, reason: 'cannot_resolve_host' },
    { ...row, ...failed, completed_at, response_status: 302 },
    { ...row, ...failed, completed_at, reason: 'http_server_error', response_status: 503 },
    { ...row, status: 'success', completed_at, response_status: 200, duration_ms: 85 },
    { ...row, scheduled_at: Date.now() + 7_200_000 },
    { ...row, attempt_number: 3, scheduled_at: Date.now() + 7_200_000 },
    { ...row, url: 'https://api.northwind.example/' },
    { ...row, url: 'https://api.northwind.example/v1' },
    { ...row, url: 'https://api.northwind.example/503' },
  ]);
  const run = { team_id: user.teamId, cron_id: cron.id };
  await fillExecutions(store, [run, { ...run, status: 'failed', response_status: 302 }]);
  await work.startMaintenanceNow(user.teamId, [{ kind: 'queue', id: queue.id }]);
  return {
    user,
    paths: [
      '/crons',
      `/crons/${cron.id}`,
      '/queues',
      '/maintenance',
      '/settings/members',
      '/jobs',
      '/jobs?tab=pending',
      '/jobs?tab=failed',
      '/failures',
      '/runs',
      '/settings/activity',
    ],
  };
}

/** In the page: what of its tables cannot be read, in words. */
const FIND_FAULTS = `(() => {
  const faults = [];
  const shown = (element) => element.getClientRects().length > 0;
  const wordsIn = (element) => {
    const found = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('.sr-only, [popover]') || !shown(node.parentElement)) continue;
      for (const match of node.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        found.push({ word: match[0], width: range.getBoundingClientRect().width });
      }
    }
    return found;
  };
  for (const table of document.querySelectorAll('main table')) {
    const { parentElement: frame } = table;
    if (frame.scrollWidth > frame.clientWidth + 1) faults.push('the table has to be scrolled sideways');
    const isCards = getComputedStyle(table).display === 'block';
    for (const head of table.querySelectorAll('th'))
      if (!isCards && shown(head) && head.scrollWidth > head.clientWidth + 1) faults.push('head ' + head.textContent);
    for (const row of table.querySelectorAll('tbody tr'))
      // A host that is longer than its column takes a second line; buttons that wrap take more.
      if (!isCards && row.clientHeight > 70) faults.push('a row of ' + row.clientHeight + ' px');
    for (const cell of table.querySelectorAll('td[data-head]')) {
      const box = cell.querySelector(':scope > div');
      if (!shown(cell) || !box || !shown(box)) continue;
      const boxWidth = box.clientWidth;
      const where = cell.dataset.head + ', ' + boxWidth + ' px: ';
      // Such a name is cut where a line has no room, but its start is shown.
      const mayBeCut = isCards && cell.dataset.cut && boxWidth >= 44;
      for (const { word, width } of wordsIn(box))
        if (!mayBeCut && width > boxWidth + 1 && (word.length <= 16 || boxWidth < 120)) faults.push(where + word);
      for (const whole of box.querySelectorAll('.whole'))
        if (whole.scrollWidth > whole.clientWidth + 1 || whole.getBoundingClientRect().right > box.getBoundingClientRect().right + 1)
          faults.push(where + 'cut: ' + whole.textContent);
      if (cell.dataset.main && !isCards && boxWidth < 160) faults.push(where + 'what the row is about');
      for (const button of box.querySelectorAll('button, a[class*=Button]'))
        if (shown(button) && button.getBoundingClientRect().right > box.getBoundingClientRect().right + 1)
          faults.push(where + 'the button ' + button.textContent);
      for (const host of box.querySelectorAll('[class*=_host]'))
        if (host.getBoundingClientRect().right > box.getBoundingClientRect().right + 1 || host.scrollWidth > host.clientWidth + 1)
          faults.push(where + 'the host ' + host.textContent);
      for (const head of box.querySelectorAll('[class*=_path] > :first-child')) {
        const text = document.createRange();
        text.selectNodeContents(head);
        if (head.getBoundingClientRect().width > text.getBoundingClientRect().width + 1)
          faults.push(where + 'a gap within the path ' + head.parentElement.textContent);
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window');
  return [...new Set(faults)];
})()`;

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

const ROW_WIDTHS = [360, 390, 600, 820, 899];

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
  await fillJobs(store, [
    { ...failed, reason: 'timeout' },
    { ...failed, reason: 'assertion_failed', response_status: 200 },
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
    paths: [
      '/crons',
      `/crons/${cron.id}`,
      '/queues',
      '/jobs',
      '/jobs?tab=pending',
      '/jobs?tab=failed',
      '/failures',
      '/runs',
      '/alerts',
      '/maintenance',
      '/settings/members',
      '/settings/service-accounts',
      '/settings/activity',
      '/settings/notifications',
    ],
  };
}

describe('a table', () => {
  test('rows have two lines of at most 68 px on phones and tablets', async () => {
    const { user, paths } = await makeUsualLists();
    await using watched = await openPage({ browser, dashboard }, '/', { user });
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

  test('a table is readable at every width: no cut words, hosts or short paths', async () => {
    const { user, paths } = await makeLists();
    await using watched = await openPage({ browser, dashboard }, '/', { user });
    const { page } = watched;
    const faults: string[] = [];
    for (const path of paths) {
      await page.goto(`${dashboard.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        // The second is what many Linux desktops have, and wider than most.
        for (const font of ['Open Sans', 'DejaVu Sans']) {
          await page.evaluate(`document.documentElement.style.setProperty('--sans', '${font}')`);
          const found = (await page.evaluate(FIND_FAULTS)) as string[];
          faults.push(...found.map((fault) => `${path} at ${width} in ${font}: ${fault}`));
        }
      }
    }
    assert.deepEqual(faults, []);
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
    await using watched = await openPage({ browser, dashboard }, '/', { user });
    const { page } = watched;
    for (const path of ['/jobs', '/crons', '/failures', '/']) {
      await page.goto(`${dashboard.url}${path}`);
      await page.waitForLoadState('networkidle');
      for (const width of [360, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        const line = page.locator('main [class*=_request]').first();
        const link = line.locator('xpath=(ancestor::a | ../preceding-sibling::a)[1]');
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
