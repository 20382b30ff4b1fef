/** The values of fields on a parsed page, and the data that its forms send, as browsers do by the HTML standard. */

export function valueOf(field: Element): string {
  if (field.localName === 'select') {
    const chosen = chosenOptions(field)[0];
    return chosen ? optionValue(chosen) : '';
  }
  // A first line break is part of the markup.
  if (field.localName === 'textarea') return (field.textContent ?? '').replace(/^\r?\n/, '');
  return field.getAttribute('value') ?? (isTicked(field) === null ? '' : 'on');
}

/** Types or chooses a value; fails for a field that nobody could type into. */
export function setValue(field: Element, value: string): void {
  if (isDisabled(field) || field.hasAttribute('readonly'))
    throw new Error(`nobody can type into ${field.outerHTML.slice(0, 200)}`);
  if (field.localName === 'textarea') field.textContent = `\n${value}`;
  else if (field.localName === 'input' && isTicked(field) === null)
    field.setAttribute('value', value);
  else throw new Error(`nothing is typed into ${field.outerHTML.slice(0, 200)}`);
}

/** @param wanted  values or labels */
export function choose(select: Element, wanted: readonly string[]): void {
  const options = optionsOf(select);
  const chosen = wanted.map((each) =>
    options.find((option) => optionValue(option) === each || option.textContent?.trim() === each),
  );
  if (isDisabled(select) || chosen.some((option) => option === undefined))
    throw new Error(`there is no ${wanted.join(', ')} in ${select.outerHTML.slice(0, 400)}`);
  for (const option of options) option.toggleAttribute('selected', chosen.includes(option));
}

/** Null for a field that can't be ticked. */
export function isTicked(field: Element): boolean | null {
  const isBox = /^(checkbox|radio)$/.test(field.getAttribute('type') ?? '');
  return field.localName === 'input' && isBox ? field.hasAttribute('checked') : null;
}

export function tick(box: Element, isOn: boolean): void {
  if (isDisabled(box) || isTicked(box) === null)
    throw new Error(`nobody can tick ${box.outerHTML.slice(0, 200)}`);
  if (isOn && box.getAttribute('type') === 'radio') {
    const name = box.getAttribute('name');
    const group = [...box.ownerDocument.querySelectorAll('input[type=radio]')];
    for (const other of group) {
      if (other.getAttribute('name') === name && formOf(other) === formOf(box))
        other.removeAttribute('checked');
    }
  }
  box.toggleAttribute('checked', isOn);
}

export function isDisabled(field: Element): boolean {
  return field.hasAttribute('disabled') || field.closest('fieldset[disabled]') !== null;
}

export function formOf(field: Element): Element | null {
  const id = field.getAttribute('form');
  return id === null ? field.closest('form') : field.ownerDocument.getElementById(id);
}

/** The names and values that a form sends when the given button is pressed. */
export function entriesOf(form: Element, submitter: Element | null): [string, string][] {
  const fields = [...form.ownerDocument.querySelectorAll('input, select, textarea, button')];
  return fields
    .filter((field) => formOf(field) === form && !isDisabled(field))
    .flatMap((field) => entriesOfField(field, submitter));
}

function entriesOfField(field: Element, submitter: Element | null): [string, string][] {
  const name = field.getAttribute('name');
  if (!name) return [];
  if (isButton(field)) return field === submitter ? [[name, valueOf(field)]] : [];
  if (field.localName === 'select')
    return chosenOptions(field).map((option) => [name, optionValue(option)]);
  if (isTicked(field) === false) return [];
  return [[name, valueOf(field).replaceAll(/\r?\n/g, '\r\n')]];
}

export function isButton(field: Element): boolean {
  const type = field.getAttribute('type') ?? '';
  return field.localName === 'button' || /^(submit|button|reset|image)$/.test(type);
}

export function isSubmitter(field: Element): boolean {
  const type = field.getAttribute('type') ?? (field.localName === 'button' ? 'submit' : 'text');
  return isButton(field) && type === 'submit';
}

/** The required fields that are empty; without `novalidate` a browser does not send the form. */
export function missingFields(form: Element): string[] {
  const required = [...form.ownerDocument.querySelectorAll('[required]')];
  return required
    .filter((field) => formOf(field) === form && !isDisabled(field))
    .filter((field) => isTicked(field) === false || valueOf(field) === '')
    .map((field) => field.getAttribute('name') ?? field.outerHTML);
}

function optionsOf(select: Element): Element[] {
  return [...select.querySelectorAll('option')];
}

function chosenOptions(select: Element): Element[] {
  const options = optionsOf(select).filter((option) => !option.hasAttribute('disabled'));
  const chosen = options.filter((option) => option.hasAttribute('selected'));
  if (select.hasAttribute('multiple')) return chosen;
  const one = chosen.at(-1) ?? options[0];
  return one ? [one] : [];
}

function optionValue(option: Element): string {
  return option.getAttribute('value') ?? (option.textContent ?? '').trim();
}
