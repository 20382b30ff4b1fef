/** What a page shows without scripts, styles or a screen: its texts, roles, names and labels. */
import { computeAccessibleName, getRole } from 'dom-accessibility-api';

/** A text to find: a part in any case, with `exact` the whole text, or a pattern. */
export interface Wanted {
  text: string | RegExp;
  exact?: boolean | undefined;
}

export function matchesText(found: string, { text, exact = false }: Wanted): boolean {
  if (text instanceof RegExp) return text.test(found);
  const [has, wants] = [normalize(found), normalize(text)];
  return exact ? has === wants : has.toLowerCase().includes(wants.toLowerCase());
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
export function isVisible(element: Element): boolean {
  if (element.localName === 'input' && element.getAttribute('type') === 'hidden') return false;
  for (let each: Element | null = element; each !== null; each = each.parentElement) {
    if (isHiding(each, element)) return false;
  }
  return true;
}

function isHiding(holder: Element, element: Element): boolean {
  if (UNSEEN.has(holder.tagName) || holder.hasAttribute('hidden')) return true;
  if (holder.classList.contains('needs-script')) return true;
  if (/display:\s*none/.test(holder.getAttribute('style') ?? '')) return true;
  if (holder.hasAttribute('popover')) return !holder.hasAttribute(OPEN);
  if (holder.localName === 'dialog') return !holder.hasAttribute('open');
  if (holder.localName !== 'details' || holder === element || holder.hasAttribute('open'))
    return false;
  const summary = [...holder.children].find(({ localName }) => localName === 'summary');
  return summary === undefined || !summary.contains(element);
}

/** Elements whose text does not belong to the elements around them. */
const APART = new Set(['SCRIPT', 'NOSCRIPT', 'STYLE']);

export function textOf(element: Element): string {
  if (APART.has(element.tagName)) return '';
  const isButton = /^(submit|button)$/.test(element.getAttribute('type') ?? '');
  if (element.localName === 'input' && isButton) return element.getAttribute('value') ?? '';
  let text = '';
  for (const child of element.childNodes) {
    if (child.nodeType === 3) text += child.nodeValue ?? '';
    else if (child.nodeType === 1) text += textOf(child as Element);
  }
  return text;
}

export function roleOf(element: Element): string | null {
  if (element.closest('[aria-hidden=true]')) return null;
  return getRole(element);
}

const SHOWN = { display: 'block', visibility: 'visible', content: '', getPropertyValue: () => '' };
const HIDDEN = { ...SHOWN, display: 'none' };

export function nameOf(element: Element): string {
  const name = computeAccessibleName(element, {
    computedStyleSupportsPseudoElements: false,
    getComputedStyle: (each) =>
      (isVisible(each) ? SHOWN : HIDDEN) as unknown as CSSStyleDeclaration,
  });
  return normalize(name);
}

const LABELLED = new Set(['BUTTON', 'METER', 'OUTPUT', 'PROGRESS', 'SELECT', 'TEXTAREA', 'INPUT']);

/** Each text that labels the element. */
export function labelsOf(element: Element): string[] {
  const ids = element.getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? [];
  const referred = ids.map((id) => element.ownerDocument.getElementById(id));
  if (referred.length > 0) return referred.flatMap((each) => (each ? [textOf(each)] : []));
  const own = element.getAttribute('aria-label');
  if (own?.trim()) return [own];
  if (!LABELLED.has(element.tagName) || element.getAttribute('type') === 'hidden') return [];
  return labelElements(element).map(textOf);
}

function labelElements(element: Element): Element[] {
  const labels = [...element.ownerDocument.querySelectorAll('label')];
  return labels.filter((label) => controlOf(label) === element);
}

/** The field that a click on the label activates. */
export function controlOf(label: Element): Element | null {
  const id = label.getAttribute('for');
  if (id !== null) return label.ownerDocument.getElementById(id);
  return label.querySelector('input, select, textarea, button');
}
