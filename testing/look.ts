/**
 * Pictures of the dashboard's pages with made-up data, for working on their look:
 * `node testing/look.ts [directory] [names]`. Also fails where a page breaks its own content security policy,
 * logs an error or hydrates with a warning.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serve } from '@hono/node-server';
import { createDashboard } from '../src/dashboard/server.ts';
import { startBrowser } from './browser.ts';
import { makeLookServices, type Scene } from './look-services.ts';

const root = resolve(import.meta.dirname, '..');
const pictures = resolve(process.argv[2] ?? join(root, 'build', 'look'));
const buildDirectory = join(root, 'build', 'look-dashboard');
const port = 4870;
mkdirSync(pictures, { recursive: true });

const built = spawnSync(
  process.execPath,
  [join(root, 'node_modules/@react-router/dev/bin.cjs'), 'build'],
  {
    cwd: root,
    env: {
      ...process.env,
      DASHBOARD_BUILD_DIRECTORY: 'build/look-dashboard',
      DASHBOARD_GALLERY: '1',
    },
    encoding: 'utf8',
  },
);
if (built.status !== 0) throw new Error(built.stderr + built.stdout);

const scene: Scene = { isSetUp: true, isSignedIn: true, role: 'owner', used: 640 };
const log = (event: string, fields?: object) =>
  process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
const dashboard = await createDashboard({
  services: makeLookServices(scene),
  config: { baseUrl: `http://localhost:${port}` },
  log: {
    debug: log,
    info: log,
    warn: log,
    error: (event, fields) =>
      log(event, { ...fields, error: String((fields as { error?: unknown }).error) }),
  },
  buildDirectory,
  readClientAddress: () => '127.0.0.1',
});
const server = serve({ fetch: dashboard.fetch, port, hostname: '127.0.0.1' });
const browser = await startBrowser();

type Shot = {
  name: string;
  path: string;
  scene?: Partial<Scene>;
  isPhone?: boolean;
  isWhole?: boolean;
  before?: string;
};
const pagesOfWork = [
  '/crons',
  '/crons/new',
  '/crons/x',
  '/crons/x/edit',
  '/executions/x',
  '/queues',
  '/queues/new',
  '/queues/x',
  '/jobs',
  '/jobs?tab=failed',
  '/jobs/new',
  '/jobs/x',
  '/failures',
  '/alerts',
  '/maintenance',
  '/maintenance/new',
  '/maintenance/x/edit',
];
const phonePages = [
  '/crons',
  '/jobs?tab=failed',
  '/jobs/x',
  '/crons/new',
  '/alerts',
  '/maintenance',
  '/maintenance/x/edit',
  '/settings/notifications',
];
const only = process.argv[3];
const shots: Shot[] = [
  { name: 'gallery', path: '/gallery' },
  { name: 'gallery-whole', path: '/gallery', isWhole: true },
  { name: 'gallery-phone', path: '/gallery', isPhone: true },
  { name: 'overview', path: '/', scene: { used: 870 } },
  ...['profile', 'api-token', 'team', 'members', 'signing', 'notifications', 'billing'].map(
    (name) => ({
      name: `settings-${name}`,
      path: `/settings/${name}`,
      isWhole: true,
    }),
  ),
  ...pagesOfWork.map((path) => ({
    name: path.slice(1).replaceAll(/[/?=]/g, '-'),
    path,
    isWhole: true,
  })),
  ...phonePages.map((path) => ({
    name: `${path.slice(1).replaceAll(/[/?=]/g, '-')}-phone`,
    path,
    isPhone: true,
    isWhole: true,
  })),
  { name: 'forbidden', path: '/settings/billing', scene: { role: 'member' } },
  { name: 'missing', path: '/nothing/here' },
  { name: 'login', path: '/login', scene: { isSignedIn: false } },
  { name: 'setup', path: '/setup', scene: { isSignedIn: false, isSetUp: false } },
  {
    name: 'invitation-phone',
    path: '/invitations/abc',
    scene: { isSignedIn: false },
    isPhone: true,
  },
];

type AxeResults = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
const everyday = { ...scene };
let faults = 0;
for (const colorScheme of ['light', 'dark'] as const) {
  for (const shot of shots.filter(({ name }) => !only || new RegExp(only).test(name))) {
    Object.assign(scene, everyday, shot.scene);
    const viewport = shot.isPhone ? { width: 390, height: 844 } : { width: 1366, height: 860 };
    await using watched = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 1 });
    await watched.page.goto(`http://localhost:${port}${shot.path}`, { waitUntil: 'networkidle' });
    await watched.page.screenshot({
      path: join(pictures, `${shot.name}-${colorScheme}.png`),
      fullPage: shot.isWhole === true,
    });
    const wide = await watched.page.evaluate<string>(
      `[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.parentElement.closest('.sr-only, [class*=tabs], [class*=scroll]')).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join('\\n')`,
    );
    if (wide) process.stderr.write(`${shot.name}: wider than the window: ${wide}\n`);
    await watched.page.evaluate(axe);
    const { violations } = await watched.page.evaluate<AxeResults>('axe.run()');
    for (const { id, impact, nodes } of violations) {
      process.stderr.write(
        `${shot.name} (${colorScheme}): ${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 140)).join(' | ')}\n`,
      );
    }
    faults += violations.length;
    const found = watched.faults.filter(({ text }) => !/status of 40[34]/.test(text));
    for (const { kind, text } of found)
      process.stderr.write(`${shot.name} (${colorScheme}): ${kind}: ${text}\n`);
    faults += found.length;
  }
}
await browser.close();
server.close();
process.exitCode = faults > 0 ? 1 : 0;
