import { parseHTML } from 'linkedom';
import { isLabelled, labelElements } from './seen.ts';

/** Reads a page's HTML as browsers do, which take names of attributes in any case: React writes `popoverTarget`. */
export function parsePage(html: string): Document {
  const document = parseHTML(html).document;
  for (const element of document.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) lowerName(element, name);
    // The parser gives fields no `labels`; without it, each look for a name would go through all labels of the page.
    if (isLabelled(element))
      Object.defineProperty(element, 'labels', { get: () => labelElements(element) });
    if (element.localName === 'textarea' || element.localName === 'title') decode(element);
  }
  return document;
}

function lowerName(element: Element, name: string): void {
  const lower = name.toLowerCase();
  if (lower === name || element.hasAttribute(lower) || element.closest('svg') !== null) return;
  element.setAttribute(lower, element.getAttribute(name) ?? '');
  element.removeAttribute(name);
}

/** Decodes character references, which the parser leaves as they are in elements with plain text only. */
function decode(element: Element): void {
  const holder = element.ownerDocument.createElement('div');
  holder.innerHTML = element.textContent ?? '';
  element.textContent = holder.textContent;
}
