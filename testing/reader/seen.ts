/** What a page shows without scripts, styles or a screen: its texts, roles, names and labels. */
import { computeAccessibleName, getRole } from 'dom-accessibility-api';
import { remember } from './remember.ts';

/** A text to find: a part in any case, with `exact` the whole text, or a pattern. */
export interface Wanted {
  text: string | RegExp;
  exact?: boolean | undefined;
}

export function matchesText(found: string, wanted: Wanted): boolean {
  return matchesHeld(hold(found), wanted);
}

/** Whether the text of the element is the wanted one. */
export function showsText(element: Element, wanted: Wanted): boolean {
  return matchesHeld(heldTextOf(element), wanted);
}

/** A text, and what is compared with the wanted one. */
interface HeldText {
  text: string;
  plain: string;
  lower: string;
}

function hold(text: string): HeldText {
  const plain = normalize(text);
  return { text, plain, lower: plain.toLowerCase() };
}

function matchesHeld(held: HeldText, { text, exact = false }: Wanted): boolean {
  if (text instanceof RegExp) return text.test(held.text);
  const wants = normalize(text);
  return exact ? held.plain === wants : held.lower.includes(wants.toLowerCase());
}

function normalize(text: string): string {
  return text
    .replaceAll(/[\u200B\u00AD]/g, '')
    .trim()
    .replaceAll(/\s+/g, ' ');
}

const UNSEEN = new Set(['HEAD', 'TEMPLATE', 'SCRIPT', 'STYLE', 'TITLE']);

/** Marks popovers that were opened: the parsed page has no state of its own for that. */
export const OPEN = 'data-popover-open';

/**
 * Whether an element is visible, by the markup alone: elements that a style sheet hides count as visible, except those
 * marked as needing scripts.
 */
export const isVisible = remember((element: Element): boolean => {
  if (element.localName === 'input' && element.getAttribute('type') === 'hidden') return false;
  if (isHidden(element)) return false;
  const holder = element.parentElement;
  return holder === null || (isVisible(holder) && !isClosedOver(holder, element));
});

function isHidden(element: Element): boolean {
  if (UNSEEN.has(element.tagName) || element.hasAttribute('hidden')) return true;
  if (element.classList.contains('needs-script')) return true;
  if (/display:\s*none/.test(element.getAttribute('style') ?? '')) return true;
  if (element.hasAttribute('popover')) return !element.hasAttribute(OPEN);
  return element.localName === 'dialog' && !element.hasAttribute('open');
}

/** Whether the child is in closed `details` and is not what opens them. */
function isClosedOver(holder: Element, child: Element): boolean {
  if (holder.localName !== 'details' || holder.hasAttribute('open')) return false;
  return [...holder.children].find(({ localName }) => localName === 'summary') !== child;
}

/** Elements whose text does not belong to the elements around them. */
const APART = new Set(['SCRIPT', 'NOSCRIPT', 'STYLE']);

export const textOf = remember((element: Element): string => {
  if (APART.has(element.tagName)) return '';
  const isButton = /^(submit|button)$/.test(element.getAttribute('type') ?? '');
  if (element.localName === 'input' && isButton) return element.getAttribute('value') ?? '';
  let text = '';
  for (const child of element.childNodes) {
    if (child.nodeType === 3) text += child.nodeValue ?? '';
    else if (child.nodeType === 1) text += textOf(child as Element);
  }
  return text;
});

const heldTextOf = remember((element: Element) => hold(textOf(element)));

const OF_HEAD = new Set(['head', 'script', 'style']);

/** Whether the element belongs to what a page does not show at all. */
export const isApart = remember((element: Element): boolean => {
  if (OF_HEAD.has(element.localName)) return true;
  return element.parentElement !== null && isApart(element.parentElement);
});

const isAriaHidden = remember((element: Element): boolean => {
  if (element.getAttribute('aria-hidden') === 'true') return true;
  return element.parentElement !== null && isAriaHidden(element.parentElement);
});

export const roleOf = remember((element: Element): string | null =>
  isAriaHidden(element) ? null : getRole(element),
);

const SHOWN = { display: 'block', visibility: 'visible', content: '', getPropertyValue: () => '' };
const HIDDEN = { ...SHOWN, display: 'none' };

export const nameOf = remember((element: Element): string => {
  const name = computeAccessibleName(element, {
    computedStyleSupportsPseudoElements: false,
    getComputedStyle: (each) =>
      (isVisible(each) ? SHOWN : HIDDEN) as unknown as CSSStyleDeclaration,
  });
  return normalize(name);
});

const LABELLED = new Set(['BUTTON', 'METER', 'OUTPUT', 'PROGRESS', 'SELECT', 'TEXTAREA', 'INPUT']);

/** Each text that labels the element. */
export const labelsOf = remember((element: Element): string[] => {
  const ids = element.getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? [];
  const referred = ids.map((id) => element.ownerDocument.getElementById(id));
  if (referred.length > 0) return referred.flatMap((each) => (each ? [textOf(each)] : []));
  const own = element.getAttribute('aria-label');
  if (own?.trim()) return [own];
  return isLabelled(element) ? labelElements(element).map(textOf) : [];
});

/** Whether an element is one that labels can be for. */
export function isLabelled(element: Element): boolean {
  return LABELLED.has(element.tagName) && element.getAttribute('type') !== 'hidden';
}

/** The labels of a page by the fields that they label. */
const labelsByField = remember((document: Document): Map<Element, Element[]> => {
  const labels = new Map<Element, Element[]>();
  for (const label of document.querySelectorAll('label')) {
    const field = controlOf(label);
    if (field) labels.set(field, [...(labels.get(field) ?? []), label]);
  }
  return labels;
});

export function labelElements(element: Element): Element[] {
  return labelsByField(element.ownerDocument).get(element) ?? [];
}

/** The field that a click on the label activates. */
export function controlOf(label: Element): Element | null {
  const id = label.getAttribute('for');
  if (id !== null) return label.ownerDocument.getElementById(id);
  return [...label.querySelectorAll('*')].find(isLabelled) ?? null;
}
