/** Steps that tests of the dashboard share: signing in, pressing buttons, checking for faults. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { findBarriers } from './axe.ts';
import type { TestBrowser, WatchedPage } from './browser.ts';
import type { TestDashboard, TestUser } from './dashboard.ts';
import { openReader } from './reader/reader.ts';
import { WAIT_LIMIT_MS } from './limits.ts';

export interface Look {
  /** The user who is signed in. */
  user: TestUser;
  javaScript?: boolean;
  /** True: uses a real browser even without scripts, for tests of keys and looks. */
  inBrowser?: boolean;
}

const withoutScripts = new WeakSet<WatchedPage>();

/** Opens a page as the user, in a browser of its own; without scripts it is read over plain HTTP. */
export async function openPage(
  { browser, dashboard }: { browser?: TestBrowser; dashboard: TestDashboard },
  path: string,
  { user, javaScript = true, inBrowser = javaScript }: Look,
): Promise<WatchedPage> {
  if (inBrowser && !browser) throw new Error('a page with scripts needs a browser');
  const watched =
    inBrowser && browser ? await browser.newPage({ javaScriptEnabled: javaScript }) : openReader();
  await (await dashboard.signIn(user)).lendTo(watched.context);
  await watched.page.goto(`${dashboard.url}${path}`);
  watched.page.setDefaultTimeout(WAIT_LIMIT_MS);
  if (!javaScript) withoutScripts.add(watched);
  return watched;
}

export function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

/** The row of a table that holds the text. */
export function rowOf(page: Page, text: string | RegExp): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

export function press(within: Page | Locator, word: string): Promise<void> {
  return within.getByRole('button', { name: word, exact: true }).first().click();
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

/** Asserts that the page has no accessibility violations (checked where scripts run) and no faults. */
export async function assertClean(watched: WatchedPage): Promise<void> {
  if (!withoutScripts.has(watched)) assert.deepEqual(await findBarriers(watched.page), []);
  assertNoFaults(watched);
}

/** Asserts that the page has no faults. A refused form is none, though the console reports it. */
export function assertNoFaults({ faults }: WatchedPage): void {
  assert.deepEqual(
    faults.filter(({ text }) => !text.includes('status of 422')),
    [],
  );
}
