import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { PageFault, WatchedPage } from '../browser.ts';
import { enter, press, type Step } from './clicks.ts';
import { Conversation, type ReaderAnswer } from './conversation.ts';
import { ReaderLocator, type Sheet } from './locator.ts';
import { parsePage } from './parse.ts';
import { forgetAll } from './remember.ts';

/** The open page, and all faults on the way to it. */
class OpenPage implements Sheet {
  readonly conversation: Conversation;
  readonly faults: PageFault[] = [];
  #document = parsePage('<!DOCTYPE html><html><head></head><body></body></html>');
  #answer: ReaderAnswer = { url: 'about:blank', status: 200, headers: new Headers(), text: '' };

  constructor(headers: Record<string, string>) {
    this.conversation = new Conversation(headers);
  }

  document(): Document {
    return this.#document;
  }

  answer(): ReaderAnswer {
    return this.#answer;
  }

  async load(address: string, sending?: Parameters<Conversation['send']>[1]): Promise<void> {
    const url = new URL(address, this.#answer.url === 'about:blank' ? undefined : this.#answer.url);
    const answer = await this.conversation.send(url.href, sending);
    const isPage = answer.headers.get('Content-Type')?.startsWith('text/html') === true;
    this.#answer = { ...answer, url: answer.url + (answer.url.includes('#') ? '' : url.hash) };
    forgetAll();
    this.#document = parsePage(isPage ? answer.text : '<!DOCTYPE html><html><body></body></html>');
    const { status } = answer;
    // The browser's message, so that a test may expect the same of both.
    const text = `Failed to load resource: the server responded with a status of ${status}`;
    if (status >= 400) this.faults.push({ kind: 'console', text: `${text} (${answer.url})` });
    if (status >= 500) this.faults.push({ kind: 'request', text: `${answer.url}: ${status}` });
  }

  async click(element: Element): Promise<void> {
    const step = press(element);
    forgetAll();
    await this.#follow(step);
  }

  async enter(element: Element): Promise<void> {
    const step = enter(element);
    forgetAll();
    await this.#follow(step);
  }

  async refresh(): Promise<boolean> {
    const refresh = this.#document.querySelector('meta[http-equiv=refresh i]');
    if (!refresh) return false;
    await delay(100);
    await this.load(this.#answer.url);
    return true;
  }

  async #follow(step: Step | null): Promise<void> {
    if (step === null) return;
    const from = this.#answer.url;
    const url = new URL(step.address || from, from);
    if (url.origin !== new URL(from).origin) throw new Error(`${url} is somewhere else`);
    if (step.method === 'POST' && step.entries)
      return this.load(url.href, { method: 'POST', body: step.entries, from });
    if (step.entries) url.search = step.entries.toString();
    await this.load(url.href, { from });
  }
}

function toPage(open: OpenPage) {
  const root = new ReaderLocator(open, 'page', (node) => [node as Element]);
  const answered = () => {
    const { status, headers, url, text } = open.answer();
    return {
      status: () => status,
      headers: () => Object.fromEntries(headers),
      url: () => url,
      text: () => text,
    };
  };
  const finders = {
    getByRole: root.getByRole.bind(root),
    getByText: root.getByText.bind(root),
    getByLabel: root.getByLabel.bind(root),
    getByTitle: root.getByTitle.bind(root),
    getByPlaceholder: root.getByPlaceholder.bind(root),
    locator: root.locator.bind(root),
  };
  return {
    ...finders,
    goto: async (address: string) => {
      await open.load(address);
      return answered();
    },
    reload: async () => {
      await open.load(open.answer().url);
      return answered();
    },
    url: () => open.answer().url,
    title: async () => open.document().title,
    content: async () => open.answer().text,
    waitForURL: async (wanted: string | RegExp) => {
      const { url } = open.answer();
      const isThere = typeof wanted === 'string' ? url === wanted : wanted.test(url);
      if (!isThere) throw new Error(`the page is ${url}, not ${String(wanted)}`);
    },
    setDefaultTimeout: () => {},
  };
}

function toContext({ cookies }: Conversation) {
  return {
    addCookies: async (given: readonly { name: string; value: string }[]) => {
      for (const { name, value } of given) cookies.set(name, value);
    },
    cookies: async () => [...cookies].map(([name, value]) => ({ name, value })),
    clearCookies: async () => cookies.clear(),
  };
}

/**
 * A page without scripts, over plain HTTP, at a tenth of the cost of a browser. It has the interface of Playwright's
 * page, so that one test serves both. It supports links, forms, details and popovers, and fails on anything else. It
 * loads no styles: looks, focus and keys need the browser.
 */
export function openReader({ extraHTTPHeaders = {} }: BrowserContextOptions = {}): WatchedPage {
  const open = new OpenPage(extraHTTPHeaders);
  const close = async () => {};
  return {
    page: toPage(open) as unknown as Page,
    context: toContext(open.conversation) as unknown as BrowserContext,
    faults: open.faults,
    assertNoFaults: () => {
      if (open.faults.length > 0) throw new Error(open.faults.map(({ text }) => text).join('\n'));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
