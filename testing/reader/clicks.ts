/** The effects of a click without scripts. */
import {
  entriesOf,
  formOf,
  isButton,
  isDisabled,
  isSubmitter,
  isTicked,
  missingFields,
  tick,
} from './fields.ts';
import { controlOf, OPEN } from './seen.ts';

/** The address that it leads to. */
export interface Step {
  method: 'GET' | 'POST';
  address: string;
  /** What a form sends. */
  entries?: URLSearchParams;
}

/** @returns null where the page stays, with something opened or ticked on it */
export function press(element: Element): Step | null {
  const target = element.closest('a[href], button, input, summary, label, select, textarea');
  if (target === null) return null;
  if (target.localName === 'a')
    return { method: 'GET', address: target.getAttribute('href') ?? '' };
  if (target.localName === 'label') {
    const control = controlOf(target);
    return control === null ? null : press(control);
  }
  if (target.localName === 'summary') toggleDetails(target);
  else if (isButton(target)) return pressButton(target);
  else if (isTicked(target) !== null)
    tick(target, target.getAttribute('type') === 'radio' || isTicked(target) === false);
  return null;
}

function toggleDetails(summary: Element): void {
  const details = summary.parentElement;
  const name = details?.getAttribute('name');
  const isOpen = details?.hasAttribute('open') === true;
  // Only one `details` of a name may be open.
  for (const other of name ? summary.ownerDocument.querySelectorAll('details') : []) {
    if (other.getAttribute('name') === name) other.removeAttribute('open');
  }
  details?.toggleAttribute('open', !isOpen);
}

function pressButton(button: Element): Step | null {
  if (isDisabled(button)) throw new Error(`${button.outerHTML.slice(0, 200)} is disabled`);
  const popover = button.getAttribute('popovertarget');
  const form = formOf(button);
  if (isSubmitter(button) && form !== null) return submit(form, button);
  const opened = popover === null ? null : button.ownerDocument.getElementById(popover);
  if (opened === null)
    throw new Error(`${button.outerHTML.slice(0, 200)} does nothing without scripts`);
  const action = button.getAttribute('popovertargetaction') ?? 'toggle';
  opened.toggleAttribute(
    OPEN,
    action === 'show' || (action === 'toggle' && !opened.hasAttribute(OPEN)),
  );
  return null;
}

/** @param submitter  null where Enter sends a form without a button */
export function submit(form: Element, submitter: Element | null): Step {
  const own = (name: string) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name);
  const isChecked = !form.hasAttribute('novalidate') && !submitter?.hasAttribute('formnovalidate');
  const missing = isChecked ? missingFields(form) : [];
  if (missing.length > 0) throw new Error(`a browser asks for ${missing.join(', ')} first`);
  if (
    (own('enctype') ?? 'application/x-www-form-urlencoded') !== 'application/x-www-form-urlencoded'
  )
    throw new Error('the reader sends no such form');
  return {
    method: own('method')?.toUpperCase() === 'POST' ? 'POST' : 'GET',
    address: own('action') ?? '',
    entries: new URLSearchParams(entriesOf(form, submitter)),
  };
}

/** The effect of Enter in a field: it presses the first button that submits the form. */
export function enter(field: Element): Step | null {
  if (isButton(field) || field.localName === 'a') return press(field);
  const form = formOf(field);
  if (form === null) return null;
  const buttons = [...form.ownerDocument.querySelectorAll('button, input')];
  const button = buttons.find((each) => formOf(each) === form && isSubmitter(each));
  return button ? press(button) : submit(form, null);
}
