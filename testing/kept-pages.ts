/**
 * Pages that one test after the other uses. A page of its own, with the process behind it, takes the browser more than
 * twice the work of loading a document in one that is there.
 */
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
} from 'playwright-core';

export interface KeptPage {
  page: Page;
  context: BrowserContext;
}

interface Kept extends KeptPage {
  /** Its options: only who asks for the same may have it. */
  key: string;
  session: CDPSession;
  origins: Set<string>;
  /** Something was done to it that can't be undone. */
  isUsedUp: boolean;
  /** The listeners that it had before it was lent. */
  listeners: Listeners[];
}

/** No more are kept than tests have open at once. */
const MOST_IDLE = 4;
const TIDY_WITHIN_MS = 5_000;
const USUAL_TIMEOUT_MS = 30_000;
const USUAL_VIEWPORT = { width: 1280, height: 720 };

const LASTING = [
  'addInitScript',
  'addLocatorHandler',
  'exposeBinding',
  'exposeFunction',
  'newCDPSession',
  'newPage',
  'routeWebSocket',
  'setExtraHTTPHeaders',
  'setGeolocation',
  'setHTTPCredentials',
  'setOffline',
  // Of a page's clock.
  'install',
  'pauseAt',
  'setFixedTime',
  'setSystemTime',
] as const;

/** Lends the pages of a browser. */
export class KeptPages {
  readonly #browser: Browser;
  readonly #idle: Kept[] = [];
  readonly #lent = new Map<Page, Kept>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** A page on which nobody is signed in and nothing is stored. */
  async take(options: BrowserContextOptions): Promise<KeptPage> {
    const key = JSON.stringify({ javaScriptEnabled: true, ...options });
    const at = this.#idle.findIndex((each) => each.key === key);
    const [idle] = at === -1 ? [] : this.#idle.splice(at, 1);
    const kept = idle ?? (await openKept(this.#browser, options, key));
    this.#lent.set(kept.page, kept);
    return kept;
  }

  /** Takes a page back, or closes it where something would be left of its use. */
  async giveBack({ page, context }: KeptPage): Promise<void> {
    const kept = this.#lent.get(page);
    this.#lent.delete(page);
    if (kept === undefined) return;
    if (!(await tidy(kept))) return context.close();
    this.#idle.push(kept);
    if (this.#idle.length > MOST_IDLE) await this.#idle.shift()?.context.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ context }) => context.close()));
  }
}

async function openKept(
  browser: Browser,
  options: BrowserContextOptions,
  key: string,
): Promise<Kept> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const origins = new Set<string>();
  page.on('framenavigated', (frame) => {
    const { origin } = new URL(frame.url());
    if (origin !== 'null') origins.add(origin);
  });
  const listeners = [page, context].map((each) => new Listeners(each));
  const kept: Kept = { page, context, key, session, origins, isUsedUp: false, listeners };
  for (const thing of [page, context, page.clock]) noteLasting(thing, kept);
  return kept;
}

function noteLasting(thing: object, kept: Kept): void {
  for (const name of LASTING) {
    const method: unknown = Reflect.get(thing, name);
    if (typeof method !== 'function') continue;
    const noting = (...given: unknown[]): unknown => {
      kept.isUsedUp = true;
      return Reflect.apply(method, thing, given);
    };
    Reflect.set(thing, name, noting);
  }
}

type Listener = (...given: unknown[]) => void;

/** The part of node's event emitter that pages and contexts have, though their types hide it. */
interface Emitter {
  eventNames(): string[];
  listeners(event: string): Listener[];
  off(event: string, listener: Listener): void;
}

/** What listened when this was made. */
class Listeners {
  readonly #emitter: Emitter;
  readonly #first = new Set<Listener>();

  constructor(emitter: object) {
    this.#emitter = emitter as Emitter;
    for (const [, listener] of this.#all()) this.#first.add(listener);
  }

  removeLater(): void {
    for (const [event, listener] of this.#all())
      if (!this.#first.has(listener)) this.#emitter.off(event, listener);
  }

  #all(): [event: string, listener: Listener][] {
    const emitter = this.#emitter;
    return emitter
      .eventNames()
      .flatMap((event) =>
        emitter.listeners(event).map((each): [string, Listener] => [event, each]),
      );
  }
}

/** False where something of its use is left, or may be. */
async function tidy(kept: Kept): Promise<boolean> {
  const { page, context, origins } = kept;
  for (const each of kept.listeners) each.removeLater();
  // What a tab stores can be deleted only where it stands.
  if (kept.isUsedUp || page.isClosed() || context.pages().length > 1 || origins.size > 1)
    return false;
  try {
    await forget(kept);
    return context.pages().length === 1;
  } catch {
    return false;
  }
}

async function forget({ page, context, key, session, origins }: Kept): Promise<void> {
  const options = JSON.parse(key) as BrowserContextOptions;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.mouse.move(0, 0);
  await leave(page);
  if (options.javaScriptEnabled !== false && page.url() !== 'about:blank')
    await page.evaluate("sessionStorage.clear(); window.name = ''");
  await session.send('Page.resetNavigationHistory');
  await context.clearCookies();
  await context.clearPermissions();
  for (const origin of origins)
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  origins.clear();
  page.setDefaultTimeout(USUAL_TIMEOUT_MS);
  const { viewport = USUAL_VIEWPORT } = options;
  if (viewport !== null) await page.setViewportSize(viewport);
  await page.emulateMedia({
    media: null,
    colorScheme: options.colorScheme ?? 'light',
    contrast: options.contrast ?? 'no-preference',
    forcedColors: options.forcedColors ?? 'none',
    reducedMotion: options.reducedMotion ?? 'no-preference',
  });
}

/**
 * Loads an empty document from the same address, which no server has to answer: for one elsewhere, such as about:blank,
 * the browser would start another process.
 */
async function leave(page: Page): Promise<void> {
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(page.url(), { timeout: TIDY_WITHIN_MS });
  await page.unrouteAll();
}
