import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { cacheFolder, isOwnFolder } from './cache.ts';
import { WAIT_LIMIT_MS } from './limits.ts';

/** A page together with everything that went wrong on it. */
export interface WatchedPage extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** In order: errors on the console, uncaught errors, violations of the content security policy, failed requests and answers of 500 or more. */
  faults: readonly PageFault[];
  assertNoFaults(): void;
  /**
   * Makes it as good as a new page, without cookies, routes and faults, of the usual size and look. It goes to a place
   * of the same site: for another site Chromium starts another process.
   */
  clear(place: string): Promise<void>;
}

interface PageFault {
  kind: 'console' | 'error' | 'csp' | 'request';
  text: string;
}

export interface TestBrowser extends AsyncDisposable {
  /** Nobody is signed in, nothing is stored. Going to a page waits until its scripts are at work. */
  newPage(options?: BrowserContextOptions): Promise<WatchedPage>;
}

/** Nothing may leave the machine: the browser's own errands (updates, safe browsing, metrics) are off. */
const ARGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-features=OptimizationHints,MediaRouter,DialMediaRouteProvider,Translate',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1',
  '--metrics-recording-only',
  '--no-first-run',
  '--no-pings',
  '--no-sandbox',
  '--no-zygote',
  '--hide-scrollbars',
  // A page lives so briefly that optimizing its code takes longer than it gains, as does work on further threads.
  '--js-flags=--single-threaded,--no-opt,--no-maglev',
];

/** Playwright's own. */
const USUAL_SIZE = { width: 1280, height: 720 };

/** How long an unused browser waits for the next test file of the process. */
const KEPT_MS = 2_000;

let shared: { browser: Promise<Browser>; users: number } | null = null;

/**
 * Gives the browser that came with the development packages, which all test files of a process share: each page has
 * a context of its own. It ends two seconds after its last use, or with this process.
 */
export async function startBrowser(): Promise<TestBrowser> {
  const used = (shared ??= { browser: launch(), users: 0 });
  used.users++;
  const browser = await used.browser;
  const contexts = new Set<BrowserContext>();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await Promise.all([...contexts].map((context) => context.close()));
    used.users--;
    setTimeout(() => void endUnused(used), KEPT_MS);
  };
  return {
    newPage: async (options = {}) => {
      const context = await browser.newContext(options);
      contexts.add(context);
      context.once('close', () => contexts.delete(context));
      return watchPage(context, options.javaScriptEnabled !== false);
    },
    [Symbol.asyncDispose]: close,
  };
}

async function endUnused(used: NonNullable<typeof shared>): Promise<void> {
  if (used.users > 0 || shared !== used) return;
  shared = null;
  await (await used.browser).close();
}

async function launch(): Promise<Browser> {
  const { executable, env } = await prepareChromium();
  return chromium.launch({
    executablePath: executable,
    headless: true,
    args: ARGS,
    env: { ...process.env, ...env },
  });
}

async function watchPage(context: BrowserContext, runsScripts: boolean): Promise<WatchedPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  if (runsScripts) waitForScripts(page);
  const faults: PageFault[] = [];
  const note = (kind: PageFault['kind'], text: string) => void faults.push({ kind, text });
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const isPolicy = /content security policy|violates the following/i.test(message.text());
    note(isPolicy ? 'csp' : 'console', message.text());
  });
  page.on('pageerror', (error) => note('error', error.message));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed';
    // With scripts off, the browser reports each script as failed.
    if (!runsScripts && request.resourceType() === 'script') return;
    // Leaving a page cancels its open requests; that is no fault.
    if (reason !== 'net::ERR_ABORTED')
      note('request', `${request.method()} ${request.url()}: ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) note('request', `${response.url()}: ${response.status()}`);
  });
  const clear = async (place: string) => {
    const others = context.pages().filter((each) => each !== page);
    await Promise.all([
      page.unrouteAll({ behavior: 'ignoreErrors' }),
      ...others.map((each) => each.close()),
    ]);
    await page.goto(place);
    // The page may write to them until it is left.
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await Promise.all([
      context.clearCookies(),
      context.clearPermissions(),
      page.emulateMedia({ colorScheme: null, reducedMotion: null }),
      page.setViewportSize(USUAL_SIZE),
    ]);
    faults.length = 0;
  };
  return {
    page,
    context,
    faults,
    assertNoFaults: () => {
      if (faults.length === 0) return;
      const list = faults.map(({ kind, text }) => `  ${kind}: ${text}`);
      throw new Error(`The page has faults:\n${list.join('\n')}`);
    },
    clear,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/**
 * A page is loaded before React has hydrated it, and React does not see what is ticked or typed in between. With
 * scripts on, going to a page and reloading it wait for the hydration; pages without React do not wait.
 */
const TAKEN_OVER = `new Promise((resolve, reject) => {
  if (window.__reactRouterContext === undefined) return resolve();
  const limit = performance.now() + ${WAIT_LIMIT_MS};
  const look = () => {
    const root = Object.keys(document).find((key) => key.startsWith('__reactContainer$'));
    const isWaiting = !root || document[root].stateNode.current.memoizedState.isDehydrated;
    // What is to be done after the first rendering is done in the turn behind it.
    if (!isWaiting) setTimeout(resolve);
    else if (performance.now() < limit) setTimeout(look, 5);
    else reject(new Error('the scripts of the page have not taken it over'));
  };
  look();
})`;

function waitForScripts(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...given) => {
    const response = await goto(...given);
    await page.evaluate(TAKEN_OVER);
    return response;
  };
  page.reload = async (...given) => {
    const response = await reload(...given);
    await page.evaluate(TAKEN_OVER);
    return response;
  };
}

interface Chromium {
  executable: string;
  env: Record<string, string>;
}

/**
 * Unpacks the browser once for all runs. The package unpacks into the folder for temporary files under
 * fixed names and takes a half-written file for a whole one, so it works in a folder of its own here,
 * which gets its final name when it is complete. It holds a browser for Linux on x64 only; elsewhere
 * TEST_BROWSER names the executable of a Chromium or Chrome.
 */
async function prepareChromium(): Promise<Chromium> {
  const given = process.env['TEST_BROWSER'];
  if (given !== undefined && given !== '') return { executable: given, env: {} };
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const manifest = path.join(path.dirname(path.dirname(entry)), 'package.json');
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  const cache = path.join(cacheFolder(), `belfry-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (!isOwnFolder(cache)) await unpackInto(cache);
  return { executable: path.join(cache, 'chromium'), env: await libraryEnvironment(cache) };
}

async function unpackInto(cache: string): Promise<void> {
  const staging = fs.mkdtempSync(`${cache}-`);
  const source = `
    const { default: chromium, inflate } = await import('@sparticuz/chromium');
    const { createRequire } = await import('node:module');
    const path = await import('node:path');
    await chromium.executablePath();
    const entry = createRequire(process.cwd() + '/').resolve('@sparticuz/chromium');
    await inflate(path.join(path.dirname(entry), '..', 'bin', 'al2023.tar.br'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: path.dirname(import.meta.dirname),
    env: { ...process.env, TMPDIR: staging },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  try {
    if (code !== 0) throw new Error(`unpacking the browser ended with ${code}`);
    fs.renameSync(staging, cache);
  } catch (error) {
    // Another process may have been first.
    if (!fs.existsSync(path.join(cache, 'chromium'))) throw error;
  } finally {
    fs.rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Where the system lacks the few libraries the browser needs, the ones in the package serve. Fonts are
 * always those of packages, so that a page looks the same on every machine.
 */
async function libraryEnvironment(cache: string): Promise<Record<string, string>> {
  const config = path.join(cache, 'belfry-fonts.conf');
  if (!fs.existsSync(config)) fs.writeFileSync(config, fontConfiguration(cache));
  const env: Record<string, string> = { FONTCONFIG_FILE: config };
  if (!(await findsItsLibraries(path.join(cache, 'chromium')))) {
    env['LD_LIBRARY_PATH'] = path.join(cache, 'al2023/lib');
  }
  return env;
}

/** Open Sans comes with the browser but has neither symbols nor letters of one width; DejaVu has both. */
function fontConfiguration(cache: string): string {
  const dejavu = path.join(path.dirname(import.meta.dirname), 'node_modules/dejavu-fonts-ttf/ttf');
  const copy = path.join(cache, 'dejavu');
  fs.cpSync(dejavu, copy, { recursive: true });
  const prefer = (family: string, font: string) =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  return [
    '<?xml version="1.0"?><fontconfig>',
    `<dir>${cache}/fonts</dir><dir>${copy}</dir><cachedir>${cache}/fonts-cache</cachedir>`,
    ...['sans-serif', 'system-ui'].map((family) => prefer(family, 'Open Sans')),
    prefer('serif', 'DejaVu Serif'),
    prefer('monospace', 'DejaVu Sans Mono'),
    '</fontconfig>',
  ].join('\n');
}

async function findsItsLibraries(executable: string): Promise<boolean> {
  const ldd = spawn('ldd', [executable], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  ldd.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    const [code] = (await once(ldd, 'close')) as [number | null];
    return code === 0 && !output.includes('not found');
  } catch {
    return false;
  }
}
