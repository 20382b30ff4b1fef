import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { before } from '#testing/hooks';
import type { TestUser } from '#testing/dashboard';
import { fillJobs } from '#testing/fill';
import { assertClean, heading, openAdvanced, press, usePages } from '#testing/pages';
import { eventually } from '#testing/process';

/** The keys of the dashboard: Ctrl-K and `/`, and that they do nothing where somebody types. */

let user: TestUser;

const { begin, createCron, dashboard, open: openPage } = usePages({}, { sends: false });
before(async () => {
  user = await dashboard.user('ada@bells.test');
});

const open = (path: string) => openPage(path, user);

async function type(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const pathOf = (page: Page) => new URL(page.url()).pathname;

describe('keys', () => {
  test('Ctrl-K finds a page by some letters of its name, and searches for anything else', async () => {
    await using watched = await open('/crons');
    const { page } = watched;
    await type(page, 'Control+k');
    await page.getByRole('combobox', { name: 'Page, name, id or text to search for' }).waitFor();
    await page.keyboard.type('webh');
    await page.getByRole('option', { name: 'Settings: Webhook signing' }).waitFor();
    await assertClean(watched);
    await type(page, 'Enter');
    await heading(page, 'Webhook signing');
    await type(page, 'Control+k');
    await page.keyboard.type('order 42');
    await type(page, 'ArrowDown', 'ArrowUp', 'Enter');
    await page.waitForURL(/\/jobs\?tab=all&q=order(\+|%20)42/);
    await type(page, 'Control+k', 'Escape');
    assert.equal(await page.locator('dialog[open]').count(), 0);
    assert.equal(pathOf(page), '/jobs');
    await assertClean(watched);
  });

  test('in Ctrl-K, Enter after a name or id waits for the server and opens that item', async () => {
    const { work } = dashboard.service;
    const queue = await work.setQueue(user.teamId, 'Crons of the night', {});
    await using watched = await open('/alerts');
    const { page } = watched;
    await type(page, 'Control+k');
    await page.keyboard.type('crons of');
    await type(page, 'Enter');
    await heading(page, 'Crons of the night');
    await page.getByRole('link', { name: 'Overview' }).click();
    await heading(page, 'Overview');
    await type(page, 'Control+k');
    await page.keyboard.insertText(queue.id);
    await type(page, 'Enter');
    await heading(page, 'Crons of the night');
    await assertClean(watched);
  });

  test('Ctrl-K opens empty each time with the pages of the role, and Escape gives the focus back', async () => {
    const viewer = await dashboard.user('vic@bells.test', { role: 'viewer' });
    await using watched = await openPage('/crons', viewer);
    const { page } = watched;
    const field = page.getByRole('combobox', { name: 'Page, name, id or text to search for' });
    const link = page.getByRole('link', { name: 'Alerts' });
    await link.focus();
    await type(page, 'Control+k');
    await page.keyboard.type('payments');
    await page.getByRole('option', { name: 'Search jobs for “payments”' }).waitFor();
    await type(page, 'Escape');
    await field.waitFor({ state: 'detached' });
    assert.equal(await link.evaluate((element) => element === document.activeElement), true);
    await type(page, 'Control+k');
    assert.equal(await field.inputValue(), '');
    await page.getByRole('option', { name: 'Overview' }).waitFor();
    const offered = await page.getByRole('option').allTextContents();
    assert.deepEqual(
      offered.filter((name) => /Create|Service accounts|signing/.test(name)),
      [],
    );
    await page.keyboard.type('runs');
    await type(page, 'Enter');
    await heading(page, 'Runs');
    await type(page, 'Control+k');
    assert.equal(await field.inputValue(), '');
    await assertClean(watched);
  });

  test('Ctrl-K right after Escape opens the search again on a busy page', async () => {
    await using watched = await open('/crons');
    const { page } = watched;
    const field = page.getByRole('combobox', { name: 'Page, name, id or text to search for' });
    await type(page, 'Control+k');
    await page.keyboard.type('payments');
    await field.waitFor();
    // As on a busy page: the second key comes before the event by which the browser reports that the dialog is closed.
    await page.evaluate(async () => {
      const dialog = document.querySelector<HTMLDialogElement>('dialog[open]');
      const closed = new Promise((done) => dialog?.addEventListener('close', done));
      dialog?.requestClose();
      await Promise.resolve();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
      await closed;
      await new Promise(requestAnimationFrame);
    });
    assert.equal(await field.count(), 1);
    assert.equal(await field.inputValue(), '');
    await assertClean(watched);
  });

  test('/ focuses the search field, in which it is an ordinary character, unless Profile switches it off (WCAG 2.1.4)', async () => {
    await using watched = await open('/');
    const { page } = watched;
    await type(page, 'g', 'c', '?');
    assert.equal(pathOf(page), '/', 'other single characters do nothing');
    assert.equal(await page.locator('dialog[open]').count(), 0);
    await type(page, '/');
    await page.keyboard.type('50/3');
    await type(page, 'Enter');
    await page.waitForURL(/\/jobs\?.*q=50%2F3/);
    await page.goto(`${dashboard.url}/settings/profile`);
    await page.getByLabel('Press / to go to the search field').uncheck();
    await page.getByRole('button', { name: 'Save keys' }).click();
    await page.getByText('The / key is off in this browser.').waitFor();
    const search = page.getByRole('searchbox', { name: 'Search jobs' });
    const hasFocus = () => search.evaluate((element) => element === document.activeElement);
    await type(page, '/');
    assert.equal(await hasFocus(), false);
    await page.getByLabel('Press / to go to the search field').check();
    await page.getByRole('button', { name: 'Save keys' }).click();
    await page.getByText('The / key is on in this browser.').waitFor();
    await type(page, '/');
    assert.equal(await hasFocus(), true);
    await assertClean(watched);
  });
});

/**
 * In the page: the focus, and what is wrong with it, such as that the header or a form's buttons cover it. Null: it has
 * left the page.
 */
const FOCUS = `(() => {
  const { activeElement: at } = document;
  if (!at || at === document.body) return null;
  const { top, left, right, bottom, width } = at.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const isSeen = width > 1 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const hasRing = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  const header = document.querySelector('header').getBoundingClientRect();
  const actions = at.closest('form')?.querySelector('[value=save]:not([aria-hidden])')?.parentElement;
  const isBehindHeader = at.closest('main') !== null && top >= 0 && top < header.bottom;
  // Of a high text area the first line must be in sight.
  const isBehindActions =
    actions && !actions.contains(at) && top > actions.getBoundingClientRect().top - 16;
  return {
    place: [...document.querySelectorAll('*')].indexOf(at),
    wrong: isSeen && hasRing && !isBehindHeader && !isBehindActions ? null : at.outerHTML.slice(0, 100),
  };
})()`;

const WIDTHS = [1280, 390];

test('Tab goes through a page and out of it with a visible ring at each stop, on a desk and on a phone (WCAG 2.4.11)', async () => {
  const someone = await begin();
  const id = await createCron(someone, 'Nightly');
  await dashboard.service.work.setQueue(someone.teamId, 'mail', {});
  await using watched = await openPage('/healthz', someone);
  const { page } = watched;
  const walk = async (key: string, from: string, where: string) => {
    await page.evaluate(
      `getSelection().collapse(document.querySelector('${from}'), 0); document.activeElement.blur()`,
    );
    const stops: number[] = [];
    for (;;) {
      await type(page, key);
      const focus = await page.evaluate<{ place: number; wrong: string | null } | null>(FOCUS);
      // The browser begins again at the first stop.
      if (focus === null || focus.place === stops[0]) break;
      assert.equal(focus.wrong, null, where);
      assert.equal(stops.includes(focus.place), false, `${where} holds the focus`);
      stops.push(focus.place);
    }
    assert.ok(stops.length > 5, `${where} has ${stops.length} stops`);
  };
  const lists = ['/', '/crons', `/crons/${id}`, '/queues', '/runs', '/maintenance'];
  for (const path of [...lists, '/settings/profile', '/settings/members', '/crons/new']) {
    await page.goto(`${dashboard.url}${path}`);
    if (path === '/crons/new') await openAdvanced(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 500 });
      const where = `${path} at ${width} px`;
      // What is around a page is the same for each.
      await walk('Tab', path === '/' ? 'body' : 'main', where);
      if (path === '/crons/new') await walk('Shift+Tab', 'body', `${where}, backwards`);
    }
  }
});

describe('the focus in a list', () => {
  const focusIn = (place: Locator) =>
    eventually(() => place.evaluate((each) => each.contains(document.activeElement)), {
      what: 'the focus',
    });
  const failures = async () => {
    const someone = await begin();
    const { store, work } = dashboard.service;
    const { id: queue_id } = await work.setQueue(someone.teamId, 'mail', {});
    const of = { team_id: someone.teamId, queue_id, status: 'dead_lettered' } as const;
    const now = Date.now();
    await fillJobs(
      store,
      [1, 2, 3].map((n) =>
        Object.assign({ url: `http://target.example/${n}`, completed_at: now - n * 60_000 }, of),
      ),
    );
    const watched = await openPage('/jobs?tab=failed', someone);
    const row = (n: number) => watched.page.getByRole('row').filter({ hasText: `/${n}` });
    return {
      watched,
      page: watched.page,
      row,
      [Symbol.asyncDispose]: () => watched[Symbol.asyncDispose](),
    };
  };

  test('after a row has gone, its next row has the focus, and after the last one the heading', async () => {
    await using all = await failures();
    const { row, page } = all;
    await row(1).getByRole('button', { name: 'Retry' }).focus();
    await type(page, 'Enter');
    await row(1).waitFor({ state: 'detached' });
    await focusIn(row(2));
    await row(2)
      .getByRole('button', { name: /More actions/ })
      .focus();
    await type(page, 'Enter');
    const opened = page.locator('[popover]:popover-open');
    await opened.getByRole('button', { name: 'Delete' }).focus();
    await type(page, 'Enter');
    await opened.getByRole('button', { name: 'Delete' }).last().focus();
    await type(page, 'Enter');
    await row(2).waitFor({ state: 'detached' });
    await focusIn(row(3));
    await row(3).getByRole('button', { name: 'Retry' }).focus();
    await type(page, 'Enter');
    await row(3).waitFor({ state: 'detached' });
    await focusIn(page.getByRole('heading', { name: 'Jobs', level: 1 }));
    await assertClean(all.watched);
  });

  test('after a bulk action the first row has the focus, and after one on all jobs the heading', async () => {
    await using all = await failures();
    const { row, page, watched } = all;
    const opened = page.locator('[popover]:popover-open');
    const chooseDelete = async (menu: string, word: string) => {
      await page.getByRole('button', { name: `More actions: ${menu}` }).focus();
      await type(page, 'Enter');
      await opened.getByRole('button', { name: word }).focus();
      await type(page, 'Enter');
      await opened.getByRole('button', { name: word }).last().focus();
      await type(page, 'Enter');
    };
    await row(2).getByLabel('Select row').check();
    await chooseDelete('selected jobs', 'Delete');
    await row(2).waitFor({ state: 'detached' });
    await focusIn(row(1));
    await chooseDelete('all failed jobs', 'Delete all failed');
    await row(1).waitFor({ state: 'detached' });
    await focusIn(page.getByRole('heading', { name: 'Jobs', level: 1 }));
    await assertClean(watched);
  });

  test('a row that goes without the focus leaves it where it is', async () => {
    await using all = await failures();
    const { row, page } = all;
    const link = row(1).getByRole('link').first();
    await link.focus();
    await page.evaluate('document.activeElement.blur()');
    await row(1).evaluate((each) => each.remove());
    assert.equal(await page.evaluate('document.activeElement === document.body'), true);
  });
});

test('Escape closes a menu and a question and gives the focus back, on a desk and on a phone', async () => {
  const someone = await begin();
  const id = await createCron(someone, 'Nightly');
  await using watched = await openPage(`/crons/${id}`, someone);
  const { page } = watched;
  const opened = page.locator('[popover]:popover-open');
  const menu = page.getByRole('button', { name: 'More actions: Nightly' });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await menu.focus();
    await type(page, 'Enter');
    await opened.getByRole('button', { name: 'Delete' }).focus();
    await type(page, 'Enter');
    await page.getByRole('heading', { name: 'Delete the cron “Nightly”?' }).waitFor();
    await type(page, 'Escape', 'Escape');
    assert.equal(await opened.count(), 0);
    assert.equal(await menu.evaluate((each) => each === document.activeElement), true);
  }
  assert.notEqual(await dashboard.service.work.findCron(someone.teamId, id), null);
  await assertClean(watched);
});

test('a click beside a question closes it and does nothing else', async () => {
  const someone = await begin();
  const id = await createCron(someone, 'Nightly');
  await using watched = await openPage(`/crons/${id}`, someone);
  const { page } = watched;
  let posts = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') posts++;
  });
  await page.getByRole('button', { name: 'More actions: Nightly' }).click();
  await page.locator('[popover]:popover-open').getByRole('button', { name: 'Delete' }).click();
  const pause = await page.getByRole('button', { name: 'Pause', exact: true }).boundingBox();
  assert.ok(pause);
  await page.mouse.click(pause.x + 5, pause.y + 5);
  assert.equal(await page.locator('[popover]:popover-open').count(), 0);
  await press(page, 'Run now');
  await page.getByText('One run has started').waitFor();
  assert.equal(posts, 1, 'the first click sends nothing');
  await assertClean(watched);
});
