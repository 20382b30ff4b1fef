import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { before } from './hooks.ts';
import { findBarriers } from './axe.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { startDashboard, type TestDashboard, type TestUser } from './dashboard.ts';
import { A_CRON, A_JOB } from './factories.ts';
import { PlainPage } from './plain-page.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { eventually } from './wait.ts';
import type { CronInput } from '#work/resources/cron';
import type { JobInput } from '#work/resources/job';

/** They start before the tests of a file or suite and end after them; the browser with the first page that needs it. */
export function usePages(...given: Parameters<typeof startDashboard>) {
  const dashboard = {} as TestDashboard;
  const target = {} as Receiver;
  let started: Promise<TestBrowser> | null = null;
  let unused: WatchedPage | null = null;
  const browser = {
    newPage: async (options?: BrowserContextOptions) =>
      (await (started ??= startBrowser())).newPage(options),
  };
  before(async () => {
    const [ownDashboard, ownTarget] = await Promise.all([
      startDashboard(...given),
      startReceiver(),
    ]);
    Object.assign(dashboard, ownDashboard);
    Object.assign(target, ownTarget);
  });
  after(async () => {
    await (await started)?.[Symbol.asyncDispose]();
    await dashboard[Symbol.asyncDispose]();
    await target.close();
  });
  return {
    dashboard,
    browser,
    target,
    begin: () => dashboard.newTeam(),
    /** Creates a job to a path of the target. Gives its id. */
    createJob: async ({ teamId }: TestUser, path: string, job: Partial<JobInput> = {}) => {
      const url = `${target.url}${path}`;
      return (await dashboard.service.work.createJob(teamId, { ...A_JOB, url, ...job })).jobId;
    },
    /** Creates a cron to a path of the target, which the clock starts on 29 February only. Gives its id. */
    createCron: async (
      { teamId }: TestUser,
      name: string,
      { path = '/', ...cron }: Partial<CronInput> & { path?: string } = {},
    ) => {
      const input = { ...A_CRON, name, url: `${target.url}${path}`, ...cron };
      return (await dashboard.service.work.createCron(teamId, input)).id;
    },
    /** Waits until a job has ended, and gives it. */
    ended: ({ teamId }: TestUser, jobId: string) =>
      eventually(
        async () => {
          const job = await dashboard.service.work.findJob(teamId, jobId);
          return job?.completedAt ? job : null;
        },
        { what: 'the job to end' },
      ),
    sentTo: (path: string) => target.requests.filter(({ url }) => url.startsWith(path)),
    /** Opens a page as the user. One page of the browser serves all tests: a new one takes half a second. */
    open: async (path: string, user: TestUser | null): Promise<WatchedPage> => {
      const watched = unused ?? (await browser.newPage());
      unused = null;
      if (user) await (await dashboard.signIn(user)).lendTo(watched.context);
      await watched.page.goto(`${dashboard.url}${path}`);
      const giveBack = async () => {
        await watched.clear(`${dashboard.url}/healthz`);
        unused = watched;
      };
      return { ...watched, [Symbol.asyncDispose]: giveBack };
    },
    /** Opens a page as plain HTML, without a browser. */
    visit: async (path: string, user: TestUser | null) =>
      PlainPage.open(user ? await dashboard.signIn(user) : dashboard.visitor(), path),
  };
}

export function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

/** The result of an action is shown before the rest of the page has been read again. */
export function untilReadAgain(page: Page): Promise<void> {
  return page.getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'detached' });
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

export async function assertClean(watched: WatchedPage): Promise<void> {
  assert.deepEqual(await findBarriers(watched.page), []);
  assertNoFaults(watched);
}

/** A refused form is no fault, though the console reports it. */
export function assertNoFaults({ faults }: WatchedPage): void {
  assert.deepEqual(
    faults.filter(({ text }) => !text.includes('status of 422')),
    [],
  );
}
