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

const FIELD = 'Page, name, id or text to search for';

const hasFocus = (place: Locator) => place.evaluate((each) => each === document.activeElement);

describe('keys', () => {
  test('Ctrl-K finds a page by some letters of its name, searches for anything else, and opens empty each time', async () => {
    await using watched = await open('/crons');
    const { page } = watched;
    const field = page.getByRole('combobox', { name: FIELD });
    await type(page, 'Control+k');
    await field.waitFor();
    await page.keyboard.type('webh');
    await page.getByRole('option', { name: 'Settings: Webhook signing' }).waitFor();
    await assertClean(watched);
    await type(page, 'Enter');
    await heading(page, 'Webhook signing');
    await type(page, 'Control+k');
    assert.equal(await field.inputValue(), '');
    await page.keyboard.type('order 42');
    await type(page, 'ArrowDown', 'ArrowUp', 'Enter');
    await page.waitForURL(/\/jobs\?tab=all&q=order(\+|%20)42/);
    const link = page.getByRole('link', { name: 'Alerts' });
    await link.focus();
    await type(page, 'Control+k');
    await page.keyboard.type('payments');
    await type(page, 'Escape');
    await field.waitFor({ state: 'detached' });
    assert.equal(await hasFocus(link), true);
    await type(page, 'Control+k');
    await page.keyboard.type('payments');
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
    watched.assertNoFaults();
  });

  test('in Ctrl-K, Enter after a name or id waits for the server and opens that item', async () => {
    const { work } = dashboard.service;
    const queue = await work.setQueue(user.teamId, 'Crons of the night', {});
    await using watched = await open('/alerts');
    const { page } = watched;
    for (const typed of ['crons of', queue.id]) {
      await type(page, 'Control+k');
      await page.keyboard.insertText(typed);
      await type(page, 'Enter');
      await heading(page, 'Crons of the night');
      await page.getByRole('link', { name: 'Overview' }).click();
      await heading(page, 'Overview');
    }
    watched.assertNoFaults();
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
    await type(page, '/');
    assert.equal(await hasFocus(search), false);
    await page.getByLabel('Press / to go to the search field').check();
    await page.getByRole('button', { name: 'Save keys' }).click();
    await page.getByText('The / key is on in this browser.').waitFor();
    await type(page, '/');
    assert.equal(await hasFocus(search), true);
    watched.assertNoFaults();
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
  for (const path of ['/', `/crons/${id}`, '/crons/new']) {
    await page.goto(`${dashboard.url}${path}`);
    if (path === '/crons/new') await openAdvanced(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 500 });
      const where = `${path} at ${width} px`;
      // What is around a page is the same for each.
      await walk('Tab', path === '/' ? 'body' : 'main', where);
      if (path === '/crons/new') await walk('Shift+Tab', 'body', `${where}, backwards`);
    }
  }
});

test('if the row with the focus disappears, its next row gets the focus, or the heading after the last one', async () => {
  const someone = await begin();
  const { store, work } = dashboard.service;
  const { id: queue_id } = await work.setQueue(someone.teamId, 'mail', {});
  const of = { team_id: someone.teamId, queue_id, status: 'dead_lettered' };
  const now = Date.now();
  await fillJobs(
    store,
    [1, 2, 3, 4].map((n) =>
      Object.assign({ url: `http://target.example/${n}`, completed_at: now - n * 60_000 }, of),
    ),
  );
  await using watched = await openPage('/jobs?tab=failed', someone);
  const { page } = watched;
  const row = (n: number) => page.getByRole('row').filter({ hasText: `/${n}` });
  const opened = page.locator('[popover]:popover-open');
  const focusIn = (place: Locator) =>
    eventually(() => place.evaluate((each) => each.contains(document.activeElement)), {
      what: 'the focus',
    });
  const enter = async (button: Locator) => {
    await button.focus();
    await type(page, 'Enter');
  };
  const remove = async (menu: Locator, word: string) => {
    await enter(menu);
    await enter(opened.getByRole('button', { name: word }));
    const question = opened.last();
    const isCut = await question.evaluate((each) => each.scrollWidth > each.clientWidth);
    assert.equal(isCut, false, 'the question is shown whole');
    await enter(opened.getByRole('button', { name: word }).last());
  };
  await enter(row(1).getByRole('button', { name: 'Retry' }));
  await row(1).waitFor({ state: 'detached' });
  await focusIn(row(2));
  await remove(row(2).getByRole('button', { name: /More actions/ }), 'Delete');
  await row(2).waitFor({ state: 'detached' });
  await focusIn(row(3));
  await row(4).getByLabel('Select row').check();
  await remove(page.getByRole('button', { name: 'More actions: selected jobs' }), 'Delete');
  await row(4).waitFor({ state: 'detached' });
  await focusIn(row(3));
  await remove(
    page.getByRole('button', { name: 'More actions: all failed jobs' }),
    'Delete all failed',
  );
  await row(3).waitFor({ state: 'detached' });
  await focusIn(page.getByRole('heading', { name: 'Jobs', level: 1 }));
  await assertClean(watched);
});

test('Escape and a click beside it close a question and do nothing else', async () => {
  const someone = await begin();
  const id = await createCron(someone, 'Nightly');
  await using watched = await openPage(`/crons/${id}`, someone);
  const { page } = watched;
  const opened = page.locator('[popover]:popover-open');
  const menu = page.getByRole('button', { name: 'More actions: Nightly' });
  let posts = 0;
  page.on('request', (request) => void (request.method() === 'POST' && posts++));
  const ask = async () => {
    await menu.focus();
    await type(page, 'Enter');
    await opened.getByRole('button', { name: 'Delete' }).focus();
    await type(page, 'Enter');
    await page.getByRole('heading', { name: 'Delete the cron “Nightly”?' }).waitFor();
  };
  await ask();
  await type(page, 'Escape', 'Escape');
  assert.equal(await opened.count(), 0);
  assert.equal(await hasFocus(menu), true);
  await ask();
  const pause = await page.getByRole('button', { name: 'Pause', exact: true }).boundingBox();
  assert.ok(pause);
  await page.mouse.click(pause.x + 5, pause.y + 5);
  assert.equal(await opened.count(), 0);
  await press(page, 'Run now');
  await page.getByText('One run has started').waitFor();
  assert.equal(posts, 1, 'the first click sends nothing');
  watched.assertNoFaults();
});
