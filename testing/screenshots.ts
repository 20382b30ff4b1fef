/**
 * `npm run screenshots`: pictures of the dashboard for docs/screenshots, in light and dark, on a desk (1,280 px) and
 * some on a phone (390 px), from the demo's data, which is made first. `npm run screenshots -- --again` takes the data that is there.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { readConfig } from '#config/config';
import { loadAppKey } from '#store/app-key';
import { startBrowser } from './browser.ts';
import { startDashboard, type TestDashboard } from './dashboard.ts';
import { DEMO_SETTINGS, makeDemoData } from '#demo/demo';
import { DEMO } from '#demo/seed';
import { startDemoTarget } from '#demo/target';

const ROOT = path.dirname(import.meta.dirname);
const PICTURES = path.join(ROOT, 'docs/screenshots');
const MOST_BYTES = 200_000;

/** Name of the picture → the page, or the list on which the first link of a kind leads there. */
const PAGES: Record<string, string | { on: string; link: string }> = {
  overview: '/',
  crons: '/crons',
  cron: { on: '/crons?q=search+index', link: 'a[href^="/crons/"]' },
  'create-cron': '/crons/new',
  execution: { on: '/crons?q=search+index', link: 'a[href^="/executions/"]' },
  queues: '/queues',
  queue: { on: '/queues', link: 'a[href^="/queues/"]:text-is("thumbnails")' },
  jobs: '/jobs',
  'failed-jobs': '/jobs?tab=failed',
  job: { on: '/jobs?tab=failed&reason=http_client_error', link: 'a[href^="/jobs/"]' },
  failures: '/failures',
  alerts: '/alerts?unread=1',
  maintenance: '/maintenance',
  'api-token': '/settings/api-token',
  signing: '/settings/signing',
  notifications: '/settings/notifications',
  billing: '/settings/billing',
};

/** The pages that are also taken on a phone. */
const ON_PHONE = new Set(['overview', 'queue', 'jobs', 'job', 'failures', 'alerts']);

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

async function takePictures({ url }: TestDashboard): Promise<void> {
  await using browser = await startBrowser();
  for (const colorScheme of ['light', 'dark'] as const) {
    await using watched = await browser.newPage({ viewport: DESK, colorScheme });
    const { page } = watched;
    await signIn(page, url);
    for (const [name, place] of Object.entries(PAGES)) {
      const address = typeof place === 'string' ? place : await follow(page, url, place);
      const answer = await page.goto(`${url}${address}`, { waitUntil: 'networkidle' });
      if (answer?.status() !== 200) {
        process.stderr.write(`no picture of ${address}: it answers ${answer?.status()}\n`);
        process.exitCode = 1;
        continue;
      }
      await takePicture(page, `${name}-${colorScheme}`);
      if (!ON_PHONE.has(name)) continue;
      await page.setViewportSize(PHONE);
      await takePicture(page, `${name}-phone-${colorScheme}`);
      await page.setViewportSize(DESK);
    }
  }
}

/** The demo and its targets are on this machine. The pictures show host names, as readers' own installations have. */
async function nameTargets(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode } = texts;
      currentNode.nodeValue = (currentNode.nodeValue ?? '')
        // Where the scheme stands alone, pages hide https.
        .replace(/^http:\/\/$/, '')
        .replaceAll(/http:\/\/(?=127\.|$)/g, 'https://')
        .replaceAll(location.host, 'belfry.northwind.example')
        .replaceAll(/127\.0\.0\.1:\d+/g, 'api.northwind.example')
        .replaceAll('127.0.0.1', '203.0.113.10');
    }
  });
}

async function takePicture(page: Page, name: string): Promise<void> {
  await nameTargets(page);
  const file = path.join(PICTURES, `${name}.png`);
  await page.screenshot({ path: file });
  if (fs.statSync(file).size > MOST_BYTES) throw new Error(`${file} is over 200 kB`);
}

/** @returns the address behind the first such link of the page's table */
async function follow(page: Page, url: string, { on, link }: { on: string; link: string }) {
  await page.goto(`${url}${on}`);
  const address = await page.locator(`main table ${link}`).first().getAttribute('href');
  return address ?? on;
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('Email').fill(DEMO.email);
  await page.getByLabel('Password', { exact: true }).fill(DEMO.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

if (!process.argv.includes('--again')) {
  const target = await startDemoTarget();
  await makeDemoData(target);
  target.close();
}
const config = readConfig(DEMO_SETTINGS, ROOT);
if ('errors' in config) throw new Error(config.errors.join('\n'));
fs.mkdirSync(PICTURES, { recursive: true });
await using dashboard = await startDashboard(DEMO_SETTINGS, {
  appKey: loadAppKey(config),
  sends: false,
});
await takePictures(dashboard);
