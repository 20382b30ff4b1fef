import type { Locator } from 'playwright-core';
import {
  everything,
  findByAttribute,
  findByLabel,
  findByRole,
  findBySelector,
  findByText,
  type RoleOptions,
} from './find.ts';
import { choose, isDisabled, isTicked, setValue, tick, valueOf } from './fields.ts';
import { forgetAll } from './remember.ts';
import { isVisible, showsText, textOf } from './seen.ts';
import { WAIT_LIMIT_MS } from '../limits.ts';

/** The functions of a page that locators need. */
export interface Sheet {
  document(): Document;
  /** Clicks an element: follows a link, submits a form, or opens it. */
  click(element: Element): Promise<void>;
  /** Sends the form of a field, as Enter does. */
  enter(element: Element): Promise<void>;
  /** Reloads the page if it would do so by itself. False where nothing will change any more. */
  refresh(): Promise<boolean>;
}

type Find = (root: ParentNode) => Element[];
interface TextOptions {
  exact?: boolean;
}
interface Filter {
  has?: Locator;
  hasNot?: Locator;
  hasText?: string | RegExp;
  hasNotText?: string | RegExp;
}
type Choice = string | { label?: string; value?: string };

/**
 * Finds elements in a parsed page, again for each call, as Playwright's locator does in a browser. It implements the
 * methods that tests without scripts use, and is as strict: an action on one element fails if there are two.
 */
export class ReaderLocator {
  readonly #sheet: Sheet;
  readonly #find: Find;
  readonly #what: string;

  constructor(sheet: Sheet, what: string, find: Find) {
    this.#sheet = sheet;
    this.#what = what;
    this.#find = find;
  }

  elements(root: ParentNode = this.#sheet.document()): Element[] {
    return [...new Set(this.#find(root))];
  }

  getByRole(role: string, options: RoleOptions = {}): ReaderLocator {
    const name = options.name === undefined ? '' : ` ${String(options.name)}`;
    return this.#within(`role ${role}${name}`, (root) => findByRole(root, role, options));
  }

  getByText(text: string | RegExp, { exact }: TextOptions = {}): ReaderLocator {
    return this.#within(`text ${String(text)}`, (root) => findByText(root, { text, exact }));
  }

  getByLabel(text: string | RegExp, { exact }: TextOptions = {}): ReaderLocator {
    return this.#within(`label ${String(text)}`, (root) => findByLabel(root, { text, exact }));
  }

  getByTitle(text: string | RegExp, { exact }: TextOptions = {}): ReaderLocator {
    return this.#within(`title ${String(text)}`, (root) =>
      findByAttribute(root, 'title', { text, exact }),
    );
  }

  getByPlaceholder(text: string | RegExp, { exact }: TextOptions = {}): ReaderLocator {
    return this.#within(`placeholder ${String(text)}`, (root) =>
      findByAttribute(root, 'placeholder', { text, exact }),
    );
  }

  locator(selector: string, filter: Filter = {}): ReaderLocator {
    return this.#within(selector, (root) => findBySelector(root, selector)).filter(filter);
  }

  filter({ has, hasNot, hasText, hasNotText }: Filter): ReaderLocator {
    const holds = (inner: Locator, element: Element) =>
      (inner as unknown as ReaderLocator).elements(element).length > 0;
    return this.#narrow('filtered', (elements) =>
      elements.filter(
        (element) =>
          (has === undefined || holds(has, element)) &&
          (hasNot === undefined || !holds(hasNot, element)) &&
          (hasText === undefined || showsText(element, { text: hasText })) &&
          (hasNotText === undefined || !showsText(element, { text: hasNotText })),
      ),
    );
  }

  or(other: ReaderLocator): ReaderLocator {
    return new ReaderLocator(this.#sheet, `${this.#what} or ${other.#what}`, (root) =>
      inOrder(new Set([...this.elements(root), ...other.elements(root)])),
    );
  }

  first(): ReaderLocator {
    return this.#narrow('first', (elements) => elements.slice(0, 1));
  }

  last(): ReaderLocator {
    return this.#narrow('last', (elements) => elements.slice(-1));
  }

  nth(at: number): ReaderLocator {
    return this.#narrow(`number ${at}`, (elements) => elements.slice(at, at + 1));
  }

  async all(): Promise<ReaderLocator[]> {
    return this.elements().map((_, at) => this.nth(at));
  }

  async count(): Promise<number> {
    return this.elements().length;
  }

  async isVisible(): Promise<boolean> {
    return this.elements().some(isVisible);
  }

  /** A page without scripts changes only if it reloads itself. */
  async waitFor({ state = 'visible' }: { state?: string } = {}): Promise<void> {
    const limit = performance.now() + WAIT_LIMIT_MS;
    for (;;) {
      const found = this.elements();
      const isThere = state === 'attached' ? found.length > 0 : found.some(isVisible);
      if (isThere === (state === 'visible' || state === 'attached')) {
        if (isThere) this.#one();
        return;
      }
      if (performance.now() > limit || !(await this.#sheet.refresh()))
        throw this.#error(isThere ? 'is still there' : 'is not there');
    }
  }

  async textContent(): Promise<string | null> {
    return this.#one().textContent;
  }

  async innerText(): Promise<string> {
    return textOf(this.#one());
  }

  async allTextContents(): Promise<string[]> {
    return this.elements().map((element) => element.textContent ?? '');
  }

  async allInnerTexts(): Promise<string[]> {
    return this.elements().map(textOf);
  }

  async getAttribute(name: string): Promise<string | null> {
    return this.#one().getAttribute(name);
  }

  async inputValue(): Promise<string> {
    return valueOf(this.#one());
  }

  async isChecked(): Promise<boolean> {
    return isTicked(this.#one()) === true;
  }

  async isDisabled(): Promise<boolean> {
    return isDisabled(this.#one());
  }

  async isEnabled(): Promise<boolean> {
    return !isDisabled(this.#one());
  }

  async fill(value: string): Promise<void> {
    setValue(this.#seen(), value);
    forgetAll();
  }

  async check(): Promise<void> {
    tick(this.#seen(), true);
    forgetAll();
  }

  async uncheck(): Promise<void> {
    tick(this.#seen(), false);
    forgetAll();
  }

  async selectOption(choice: Choice | readonly Choice[]): Promise<void> {
    const choices = Array.isArray(choice) ? (choice as readonly Choice[]) : [choice as Choice];
    const wanted = choices.map((each) =>
      typeof each === 'string' ? each : (each.value ?? each.label ?? ''),
    );
    choose(this.#seen(), wanted);
    forgetAll();
  }

  async click(): Promise<void> {
    await this.#sheet.click(this.#seen());
  }

  async press(key: string): Promise<void> {
    if (key !== 'Enter') throw new Error(`the reader has no key ${key}`);
    await this.#sheet.enter(this.#seen());
  }

  #within(what: string, find: Find): ReaderLocator {
    return new ReaderLocator(this.#sheet, `${this.#what} > ${what}`, (root) =>
      this.elements(root).flatMap(find),
    );
  }

  #narrow(what: string, narrow: (elements: Element[]) => Element[]): ReaderLocator {
    return new ReaderLocator(this.#sheet, `${this.#what}, ${what}`, (root) =>
      narrow(this.elements(root)),
    );
  }

  #one(): Element {
    const [element, ...others] = this.elements();
    if (!element) throw this.#error('is not there');
    if (others.length > 0) throw this.#error(`is there ${others.length + 1} times`);
    return element;
  }

  #seen(): Element {
    const element = this.#one();
    if (!isVisible(element)) throw this.#error('cannot be seen');
    return element;
  }

  #error(fault: string): Error {
    const { body } = this.#sheet.document();
    const text = textOf(body).replaceAll(/\s+/g, ' ').slice(0, 3_000);
    return new Error(`${this.#what} ${fault} on the page: ${text}`);
  }
}

function inOrder(elements: ReadonlySet<Element>): Element[] {
  const [any] = elements;
  if (!any) return [];
  return everything(any.ownerDocument).filter((each) => elements.has(each));
}
