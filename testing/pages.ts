/** Steps that stories of the dashboard share: who looks, what is pressed, what must not be wrong. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { findBarriers } from './axe.ts';
import type { TestBrowser, WatchedPage } from './browser.ts';
import type { TestDashboard, TestUser } from './dashboard.ts';
import { openReader } from './reader/reader.ts';

export interface Look {
  /** Who is signed in. */
  user: TestUser;
  javaScript?: boolean;
  /** In a browser without scripts too: for what keys and looks do there. */
  inBrowser?: boolean;
}

const withoutScripts = new WeakSet<WatchedPage>();

/** Opens a page as that user, in a browser of their own; without scripts it is read by plain HTTP. */
export async function openPage(
  { browser, dashboard }: { browser: TestBrowser; dashboard: TestDashboard },
  path: string,
  { user, javaScript = true, inBrowser = javaScript }: Look,
): Promise<WatchedPage> {
  const watched = inBrowser
    ? await browser.newPage({ javaScriptEnabled: javaScript })
    : openReader();
  await (await dashboard.signIn(user)).lendTo(watched.context);
  await watched.page.goto(`${dashboard.url}${path}`);
  watched.page.setDefaultTimeout(15_000);
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

/** The button opens a question; gives what it says, and answers it with the same word. */
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

/** Nothing on the page keeps people out (looked for where scripts run), and nothing went wrong on it. */
export async function assertClean(watched: WatchedPage): Promise<void> {
  if (!withoutScripts.has(watched)) assert.deepEqual(await findBarriers(watched.page), []);
  assertNoFaults(watched);
}

/** Nothing went wrong on the page; a form that was refused is no fault, though the console tells of it. */
export function assertNoFaults({ faults }: WatchedPage): void {
  assert.deepEqual(
    faults.filter(({ text }) => !text.includes('status of 422')),
    [],
  );
}
