import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { before } from './hooks.ts';
import { findBarriers } from './axe.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { startDashboard, type TestDashboard, type TestUser } from './dashboard.ts';
import { WAIT_LIMIT_MS } from './limits.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export interface Look {
  user: TestUser | null;
  javaScript?: boolean;
}

const withoutScripts = new WeakSet<WatchedPage>();

/** Opens a page as the user, in a browser context of its own. */
export async function openPage(
  { browser, dashboard }: { browser: TestBrowser; dashboard: TestDashboard },
  path: string,
  { user, javaScript = true }: Look,
): Promise<WatchedPage> {
  const watched = await browser.newPage({ javaScriptEnabled: javaScript });
  if (user) await (await dashboard.signIn(user)).lendTo(watched.context);
  await watched.page.goto(`${dashboard.url}${path}`);
  watched.page.setDefaultTimeout(WAIT_LIMIT_MS);
  if (!javaScript) withoutScripts.add(watched);
  return watched;
}

export interface PageForm {
  method: string;
  action: string;
  entries: [name: string, value: string][];
}

/** The forms of a page, each once for each of its buttons. */
export function readForms(page: Page): Promise<PageForm[]> {
  return page.evaluate(`[...document.forms].flatMap((form) => {
    const buttons = [...form.elements].filter(({ type }) => type === 'submit');
    const action = form.getAttribute('action') ?? location.pathname + location.search;
    // A field of that name hides the property of the form.
    const method = (form.getAttribute('method') ?? 'get').toLowerCase();
    return (buttons.length > 0 ? buttons : [null]).map((button) => ({
      method,
      action,
      entries: [...new FormData(form, button)],
    }));
  })`);
}

/** They start before the tests of a file or suite and end after them. */
export function usePages(...given: Parameters<typeof startDashboard>) {
  const dashboard = {} as TestDashboard;
  const browser = {} as TestBrowser;
  const target = {} as Receiver;
  before(async () => {
    const started = await Promise.all([startDashboard(...given), startBrowser(), startReceiver()]);
    Object.assign(dashboard, started[0]);
    Object.assign(browser, started[1]);
    Object.assign(target, started[2]);
  });
  after(async () => {
    await browser.close();
    await dashboard[Symbol.asyncDispose]();
    await target.close();
  });
  return {
    dashboard,
    browser,
    target,
    begin: () => dashboard.newTeam(),
    open: (path: string, user: TestUser | null, javaScript = true) =>
      openPage({ browser, dashboard }, path, { user, javaScript }),
  };
}

export function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

export function rowOf(page: Page, text: string | RegExp): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

export function press(within: Page | Locator, word: string): Promise<void> {
  return within.getByRole('button', { name: word, exact: true }).first().click();
}

/** Opens the rest of a form, unless it is open. */
export async function openAdvanced(page: Page): Promise<void> {
  const rest = page.locator('details').filter({ has: page.getByText('Advanced', { exact: true }) });
  await rest.waitFor();
  if ((await rest.getAttribute('open')) === null) await rest.locator('summary').click();
}

/** Presses a button that opens a dialog, confirms it by the button with the same word, and gives the dialog's text. */
export async function confirm(page: Page, word: string, within?: Locator): Promise<string> {
  const place = within ?? page.locator('main');
  const button = place.getByRole('button', { name: word, exact: true }).first();
  const menu = place.getByRole('button', { name: /^More actions/ }).first();
  await button.or(menu).first().waitFor();
  if (!(await button.isVisible())) await menu.click();
  await button.click();
  const dialog = page.locator('[role=dialog]:popover-open');
  const question = (await dialog.textContent()) ?? '';
  await press(dialog, word);
  return question;
}

/** Accessibility is checked where scripts run. */
export async function assertClean(watched: WatchedPage): Promise<void> {
  if (!withoutScripts.has(watched)) assert.deepEqual(await findBarriers(watched.page), []);
  assertNoFaults(watched);
}

/** A refused form is no fault, though the console reports it. */
export function assertNoFaults({ faults }: WatchedPage): void {
  assert.deepEqual(
    faults.filter(({ text }) => !text.includes('status of 422')),
    [],
  );
}
