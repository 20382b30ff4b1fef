import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findBarriers, type Rules } from '#testing/axe';
import type { WatchedPage } from '#testing/browser';
import type { TestUser } from '#testing/dashboard';
import { A_CRON, A_JOB } from '#testing/factories';
import { fillExecutions, fillJobs } from '#testing/fill';
import { assertNoFaults, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/**
 * Every kind of page, those about work with nothing on it and with something: in both themes, on a desk and on a
 * phone. Pages with work fit every width, and at each their tables can be read.
 */

const { dashboard, open, target, visit } = usePages();

interface Screen {
  colorScheme: 'light' | 'dark';
  viewport: { width: number; height: number };
}

const phone: Screen = { colorScheme: 'light', viewport: { width: 390, height: 844 } };
const desk: Screen = { colorScheme: 'dark', viewport: { width: 1366, height: 860 } };

async function changeTo(page: Page, { colorScheme, viewport }: Screen): Promise<void> {
  const ground = 'getComputedStyle(document.body).backgroundColor';
  const before = await page.evaluate(ground);
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  assert.notEqual(await page.evaluate(ground), before, 'the theme follows the system');
}

const WIDTHS = [360, 700, 768, 900, 1024, 1280, 1920, 2560];
/** For pages without lists: where their layout changes, and both ends. */
const LAYOUT_WIDTHS = [360, 600, 900, 2560];

/** In the page: what of its tables and code cannot be read, in words. */
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
      // A host that is longer than its column takes a second line, an alert is a sentence; buttons that wrap take more.
      if (!isCards && row.clientHeight > (location.pathname === '/alerts' ? 90 : 70)) faults.push('a row of ' + row.clientHeight + ' px');
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
      const status = cell.querySelector('[class*=_status]');
      const edge = cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingRight);
      if (status && status.getBoundingClientRect().right > edge) faults.push(where + 'cut: ' + status.textContent);
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
  for (const code of document.querySelectorAll('main pre')) {
    const button = code.parentElement.querySelector(':scope > button')?.getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(code);
    for (const line of text.getClientRects())
      if (button && line.right > button.left && line.top < button.bottom && line.bottom > button.top)
        faults.push('a button covers ' + code.getAttribute('aria-label'));
  }
  for (const menu of document.querySelectorAll('main button[title="More actions"]')) {
    const others = [...menu.closest('.row').querySelectorAll('button, a')]
      .filter((each) => each !== menu && shown(each) && !each.closest('[popover]'));
    const { top } = menu.getBoundingClientRect();
    if (shown(menu) && others.length > 0 && others.every((each) => each.getBoundingClientRect().bottom <= top))
      faults.push('a menu alone on its line: ' + menu.ariaLabel);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window');
  return [...new Set(faults)];
})()`;

/** Nothing keeps people out, goes wrong or can't be read. */
async function assertFits(watched: WatchedPage, where: string, rules?: Rules): Promise<void> {
  assert.deepEqual(await findBarriers(watched.page, rules), [], where);
  assertNoFaults(watched);
  assert.deepEqual(await watched.page.evaluate(FIND_FAULTS), [], where);
}

/** Finds what can't be read at any width in the font of many Linux desktops, which is wider than most. */
async function findUnreadable(page: Page, path: string): Promise<string[]> {
  const isList = (await page.locator('main td[data-head]').count()) > 0;
  const faults: string[] = [];
  await page.evaluate("document.documentElement.style.setProperty('--sans', 'DejaVu Sans')");
  for (const width of isList ? WIDTHS : LAYOUT_WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const found = (await page.evaluate(FIND_FAULTS)) as string[];
    faults.push(...found.map((fault) => `${path} at ${width}: ${fault}`));
  }
  await page.evaluate("document.documentElement.style.removeProperty('--sans')");
  return faults;
}

/** Loads each page, every other one on a phone, and looks at it there and on a desk. */
async function walk(
  user: TestUser | null,
  paths: readonly string[],
  look: (page: Page, path: string) => Promise<void>,
): Promise<void> {
  await using watched = await open('/healthz', user);
  const { page } = watched;
  await page.emulateMedia(phone);
  await page.setViewportSize(phone.viewport);
  for (const [n, path] of paths.entries()) {
    const answer = await page.goto(`${dashboard.url}${path}`);
    assert.equal(answer?.status(), 200, path);
    await assertFits(watched, path);
    await look(page, path);
    const other = n % 2 === 0 ? desk : phone;
    await changeTo(page, other);
    await assertFits(watched, `${path} (${other.colorScheme})`, 'of colours');
  }
}

test('an empty list explains itself with one example and one button', async () => {
  const user = await dashboard.newTeam();
  for (const [path, title] of [
    ['/crons', 'No crons yet'],
    ['/queues', 'No queues yet'],
    ['/jobs', 'No jobs yet'],
    ['/runs', 'Nothing has been sent yet'],
    ['/failures', 'No failed jobs'],
    ['/alerts', 'No alerts'],
    ['/maintenance', 'No maintenance windows yet'],
  ] as const) {
    const page = await visit(path, user);
    const empty = page.part('section', title);
    assert.deepEqual([empty.all('p').length, empty.all('pre').length], [1, 1], path);
    assert.equal(empty.links.length, 1, path);
    assert.equal(page.all('table').length, 0, path);
  }
});

const URL_PATH = '/hooks/orders/2026/november/created?customer=4711&include=orders,returns';
const LONGEST_NAME = `imports-${'abcdefghi-'.repeat(25)}`.slice(0, 255);

/** A team with runs of every outcome, and with long names and addresses in everything that is listed. */
async function makeWork(user: TestUser) {
  const { work, store } = dashboard.service;
  const { teamId } = user;
  await dashboard.user('second@bells.test', { team: 'Busy', role: 'admin' });
  target.answer('/down', { status: 503, body: '{"error":"down"}' });
  const request = { method: 'DELETE', headers: [], callbackUrl: null } as const;
  const queue = await work.setQueue(teamId, 'invoices-and-reminders', {
    retrySchedule: [],
    emailAlerts: true,
  });
  const cronInput = {
    ...A_CRON,
    ...request,
    name: 'Close the month of every customer in the northern region',
    url: `${target.url}/down?customer=northwind&since=2026-11-20T00:00:00Z`,
    cronExpression: '15 4 29 2 MON-FRI',
    payload: '{"n":1.0}',
    alertThreshold: 1,
  } as const;
  const cron = await work.createCron(teamId, cronInput);
  const run = await work.runCronNow(teamId, cron.id);
  const job = { ...A_JOB, queue: queue.name, payloadJson: '{"order":{"id":1,"items":[1,2,3]}}' };
  const create = (path: string, delaySeconds: number) =>
    work.createJob(teamId, { ...job, url: `${target.url}${path}`, delaySeconds });
  const failed = await create('/down', 0);
  const done = await create('/fine', 0);
  const later = await create('/later', 3600);
  const ends = [
    async () => (await work.listExecutions(teamId, cron.id, 1))[0]?.completedAt,
    ...[failed, done].map(({ jobId }) => async () => {
      const found = await work.findJob(teamId, jobId);
      return found?.completedAt;
    }),
  ];
  await Promise.all(ends.map((hasEnded) => eventually(hasEnded)));
  await work.pauseQueue(teamId, queue.id);
  await work.startMaintenanceNow(teamId, [{ kind: 'queue', id: queue.id }]);

  const host = 'https://api.northwind.example';
  const row = {
    team_id: teamId,
    queue_id: queue.id,
    url: `${host}:8443${URL_PATH}`,
    method: 'DELETE',
  };
  const ended = { ...row, completed_at: Date.now() - 86_400_000, duration_ms: 12_345 };
  const dead = { ...ended, status: 'dead_lettered', attempt_number: 4 };
  await fillJobs(store, [
    { ...dead, reason: 'cannot_resolve_host' },
    { ...dead, response_status: 302 },
    { ...dead, reason: 'http_server_error', response_status: 503 },
    { ...ended, status: 'success', response_status: 200, duration_ms: 85 },
    { ...row, scheduled_at: Date.now() + 7_200_000 },
    { ...row, attempt_number: 3, scheduled_at: Date.now() + 7_200_000 },
    { ...row, url: `${host}/` },
    { ...row, url: `${host}/v1` },
    { ...row, url: `${host}/503` },
  ]);
  const execution = { team_id: teamId, cron_id: cron.id };
  await fillExecutions(store, [
    execution,
    { ...execution, status: 'failed', response_status: 302 },
  ]);
  const longest = await work.setQueue(teamId, LONGEST_NAME, {});
  await fillJobs(store, [{ ...row, queue_id: longest.id, scheduled_at: Date.now() + 7_200_000 }]);
  await work.createCron(teamId, { ...cronInput, name: LONGEST_NAME });
  const cronPage = `/crons/${cron.id}`;
  const queuePage = `/queues/${queue.id}`;
  const paths = `/ /failures /alerts /maintenance /maintenance/new /crons /crons/new ${cronPage}
    /executions/${run?.id} /queues ${queuePage}?range=week ${queuePage}/edit /queues/${longest.id}
    /runs?from=2026-01-01 /settings/members /settings/activity /jobs /jobs?tab=pending
    /jobs?tab=failed /jobs/new /jobs/progress /jobs/${failed.jobId} /jobs/${later.jobId}`;
  return paths.split(/\s+/);
}

const hasHeading = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor();

describe('accessibility and width of every page', () => {
  test('pages with data are accessible and readable at every width', async () => {
    const user = await dashboard.user('busy@bells.test', { team: 'Busy' });
    const faults: string[] = [];
    await walk(user, await makeWork(user), async (page, path) => {
      await hasHeading(page);
      faults.push(...(await findUnreadable(page, path)));
    });
    assert.deepEqual(faults, []);
  });

  test('settings pages and empty lists are accessible and fit every width', async () => {
    const settings =
      'profile api-token team service-accounts signing notifications notifications/default billing';
    const pages = settings.split(' ').map((page) => `/settings/${page}`);
    const user = await dashboard.user('owner@bells.test', { team: 'Settings' });
    await walk(user, ['/crons', '/jobs', ...pages, '/teams/new'], hasHeading);
  });

  test('signed-out pages are accessible and fit every width', async () => {
    // A page of another mailed link has the form of one of these.
    const links = ['/invitations/gone', '/confirm-email/gone'];
    await walk(null, ['/login', '/forgot-password', ...links], hasHeading);
  });

  test('pages that are forbidden or missing are accessible and show the next step', async () => {
    await dashboard.user('boss@bells.test', { team: 'Helped' });
    const member = await dashboard.user('member@bells.test', { team: 'Helped', role: 'member' });
    await using watched = await open('/settings/billing', member);
    const { page } = watched;
    await hasHeading(page);
    assert.match((await page.locator('main').textContent()) ?? '', /owner/);
    assert.deepEqual(await findBarriers(page), []);
    await page.goto(`${dashboard.url}/nothing/here`);
    assert.ok((await page.getByRole('link').count()) > 3, 'the way to the others is open');
    assert.deepEqual(await findBarriers(page), []);
  });
});
