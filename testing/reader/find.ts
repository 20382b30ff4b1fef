/** The ways to find elements in tests: those of Playwright's locators, with the same meaning. */
import type { Page } from 'playwright-core';
import { remember } from './remember.ts';
import {
  isApart,
  isVisible,
  labelsOf,
  matchesText,
  nameOf,
  OPEN,
  roleOf,
  showsText,
  type Wanted,
} from './seen.ts';

export type RoleOptions = NonNullable<Parameters<Page['getByRole']>[1]>;

export const everything = remember((root: ParentNode) => [...root.querySelectorAll('*')]);

export function findByRole(root: ParentNode, role: string, options: RoleOptions = {}): Element[] {
  const { name, exact, level, checked } = options;
  return everything(root).filter(
    (element) =>
      roleOf(element) === role &&
      isVisible(element) &&
      (level === undefined || levelOf(element) === level) &&
      (checked === undefined || element.hasAttribute('checked') === checked) &&
      (name === undefined || matchesText(nameOf(element), { text: name, exact })),
  );
}

function levelOf(element: Element): number {
  return Number(element.getAttribute('aria-level') ?? /^h([1-6])$/.exec(element.localName)?.[1]);
}

/** The innermost elements with the text. */
export function findByText(root: ParentNode, wanted: Wanted): Element[] {
  const matches = (element: Element) => showsText(element, wanted);
  return everything(root).filter(
    (element) =>
      !isApart(element) &&
      element.localName !== 'noscript' &&
      matches(element) &&
      ![...element.children].some(matches),
  );
}

export function findByLabel(root: ParentNode, wanted: Wanted): Element[] {
  return everything(root).filter((element) =>
    labelsOf(element).some((label) => matchesText(label, wanted)),
  );
}

export function findByAttribute(root: ParentNode, attribute: string, wanted: Wanted): Element[] {
  return everything(root).filter((element) => {
    const value = element.getAttribute(attribute);
    return value !== null && matchesText(value, wanted);
  });
}

export function findBySelector(root: ParentNode, selector: string): Element[] {
  if (/^xpath|^\.\.|^>/.test(selector)) throw new Error(`the reader does not know ${selector}`);
  return [...root.querySelectorAll(selector.replaceAll(':popover-open', `[${OPEN}]`))];
}
