import assert from 'node:assert/strict';
import { parseHTML } from 'linkedom';
import type { Answer } from './client.ts';
import type { Visitor } from './visitor.ts';

/** What a test looks for: a whole name, or a pattern in it. */
type Wanted = string | RegExp;
/** By label, as for `fill`. */
type Fields = Record<string, string | boolean>;

/** As a browser without scripts sends it. */
export interface PageForm {
  method: string;
  action: string;
  entries: [name: string, value: string][];
}

const CONTROLS = 'input:not([type=hidden]), select, textarea';

/** Part of a page, such as a row of a table. */
class PagePart {
  protected readonly page: PlainPage;
  readonly #find: () => Element;

  constructor(page: PlainPage, find: () => Element) {
    this.page = page;
    this.#find = find;
  }

  get #element(): Element {
    return this.#find();
  }

  /** Without the parts that need scripts. */
  get text(): string {
    return textOf(this.#element);
  }

  /** The texts of the cells of a row. */
  get cells(): string[] {
    return this.all('td, th').map(textOf);
  }

  get href(): string {
    return this.#element.getAttribute('href') ?? '';
  }

  get links(): string[] {
    return this.all('a[href]').map(nameOf);
  }

  /** The names of buttons that work without scripts. */
  get buttons(): string[] {
    return this.all('button').filter(worksAlone).map(nameOf);
  }

  all(selector: string): Element[] {
    return [...this.#element.querySelectorAll(selector)];
  }

  shows(...wanted: Wanted[]): void {
    for (const each of wanted) assert.ok(contains(this.text, each), `no ${each} in: ${this.text}`);
  }

  lacks(...unwanted: Wanted[]): void {
    for (const each of unwanted) assert.ok(!contains(this.text, each), `${each} in: ${this.text}`);
  }

  row(text: Wanted): PagePart {
    return this.part('tr', text);
  }

  /** The first element of a selector that has the text. */
  part(selector: string, text: Wanted = ''): PagePart {
    const find = () => {
      const found = this.all(selector).find((each) => contains(textOf(each), text));
      return found ?? assert.fail(`no ${selector} with ${text} in: ${this.text}`);
    };
    find();
    return new PagePart(this.page, find);
  }

  /** The value of a field: of a select its chosen option's, of a box whether it is ticked. */
  field(label: string): string | boolean {
    const control = this.#control(label);
    const type = control.getAttribute('type');
    return type === 'checkbox' || type === 'radio'
      ? control.hasAttribute('checked')
      : valueOf(control);
  }

  /** Fills a field as a person does: by a text, the option of a select, or whether a box is ticked. */
  fill(label: string, value: string | boolean): void {
    fill(this.#control(label), value);
  }

  options(label: string): string[] {
    return [...this.#control(label).querySelectorAll('option')].map(textOf);
  }

  hasField(label: string): boolean {
    return this.all(CONTROLS).some((each) => labelOf(each).startsWith(label));
  }

  async follow(link: Wanted): Promise<void> {
    const found = this.all('a[href]').find((each) => isNamed(each, link));
    const href = found?.getAttribute('href');
    await this.page.go(href ?? assert.fail(`no link ${link} among ${this.links.join()}`));
  }

  /**
   * Fills fields of the form of a button and sends it with the button. Gives the text of the dialog that has the
   * button, if any: browsers show it before.
   */
  async press(button: Wanted, fields: Fields = {}): Promise<string> {
    const found = this.all('button').find((each) => worksAlone(each) && isNamed(each, button));
    if (!found) return assert.fail(`no button ${button} among ${this.buttons.join()}`);
    const form = formOf(found) ?? assert.fail(`the button ${button} has no form`);
    const inForm = this.page
      .part('body')
      .all(CONTROLS)
      .filter((each) => formOf(each) === form);
    for (const [label, value] of Object.entries(fields)) fill(labelled(inForm, label), value);
    assertOpens(found);
    const dialog = found.closest('[role=dialog]');
    const question = dialog === null ? '' : textOf(dialog);
    await this.page.send(form, found);
    return question;
  }

  #control(label: string): Element {
    return labelled(this.all(CONTROLS), label);
  }
}

/** A page as the server sends it: what people see and do without scripts. It keeps the place of its visitor. */
export class PlainPage extends PagePart {
  readonly visitor: Visitor;
  /** With its query, after redirects. */
  path = '';
  status = 0;
  html = '';
  #document = parseHTML('<body></body>').document;

  private constructor(visitor: Visitor) {
    super(undefined as never, () => this.#document.documentElement);
    this.visitor = visitor;
    Object.assign(this, { page: this });
  }

  static async open(visitor: Visitor, path: string): Promise<PlainPage> {
    const page = new PlainPage(visitor);
    await page.go(path);
    return page;
  }

  get title(): string {
    return this.#document.title;
  }

  get heading(): string {
    return this.all('h1').map(textOf).join();
  }

  async go(path: string): Promise<void> {
    const { pathname, search } = new URL(path, `http://page${this.path}`);
    await this.#take(pathname + search, await this.visitor.get(pathname + search));
  }

  /** Each once for each of its buttons. */
  get forms(): PageForm[] {
    return this.all('form').flatMap((form) => {
      const buttons = this.all('button').filter((each) => formOf(each) === form);
      const senders = buttons.filter(worksAlone);
      return (senders.length > 0 ? senders : [null]).map((button) => this.#readForm(form, button));
    });
  }

  async send(form: Element, button: Element): Promise<void> {
    const { method, action, entries } = this.#readForm(form, button);
    if (method === 'post') return this.#take(action, await this.visitor.post(action, entries));
    const [path] = action.split('?');
    return this.go(`${path}?${new URLSearchParams(entries)}`);
  }

  #readForm(form: Element, button: Element | null): PageForm {
    const to = new URL(form.getAttribute('action') ?? '', `http://page${this.path}`);
    const controls = this.all('input, select, textarea').filter((each) => formOf(each) === form);
    const entries = controls.flatMap(entriesOf);
    const name = button?.getAttribute('name') ?? null;
    if (name !== null) entries.push([name, button?.getAttribute('value') ?? '']);
    const method = form.getAttribute('method')?.toLowerCase() ?? 'get';
    return { method, action: to.pathname + to.search, entries };
  }

  async #take(path: string, answer: Answer): Promise<void> {
    this.path = path;
    const to = answer.headers.get('location');
    if (to !== null) return this.go(to);
    this.status = answer.status;
    this.html = answer.text;
    this.#document = parsePage(answer.text);
  }
}

/** Decodes character references where the parser leaves them: in elements with plain text only. */
function parsePage(html: string): Document {
  const { document } = parseHTML(html);
  const holder = document.createElement('div');
  for (const element of document.querySelectorAll('textarea, title')) {
    holder.innerHTML = element.textContent ?? '';
    element.textContent = holder.textContent;
  }
  return document;
}

const contains = (text: string, wanted: Wanted) =>
  typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);

const isNamed = (element: Element, wanted: Wanted) =>
  typeof wanted === 'string' ? nameOf(element) === wanted : wanted.test(nameOf(element));

const nameOf = (element: Element) => element.getAttribute('aria-label') ?? textOf(element);

function textOf(element: Element): string {
  let text = '';
  const collect = ({ childNodes }: Node) => {
    for (const node of childNodes) {
      if (node.nodeType === TEXT_NODE) text += node.nodeValue ?? '';
      else if (node.nodeType === ELEMENT_NODE && isShown(node as Element)) collect(node);
    }
  };
  collect(element);
  return text.replaceAll(/\s+/g, ' ').trim();
}

const [ELEMENT_NODE, TEXT_NODE] = [1, 3];

const isShown = ({ localName, classList }: Element) =>
  localName !== 'script' && localName !== 'style' && !classList.contains('needs-script');

const worksAlone = (button: Element) =>
  button.getAttribute('type') !== 'button' && button.closest('.needs-script') === null;

/** Each popover around an element needs a button outside that opens it. */
function assertOpens(element: Element): void {
  const popover = element.closest('[popover]');
  if (popover === null) return;
  const openers = [...element.ownerDocument.querySelectorAll('button')].filter(
    // React writes the attribute in this case, and linkedom keeps it.
    (each) => each.getAttribute('popoverTarget') === popover.id && !popover.contains(each),
  );
  const opener = openers.find((each) => each.closest('.needs-script') === null);
  assertOpens(opener ?? assert.fail(`no button opens the dialog: ${textOf(popover)}`));
}

function formOf(element: Element): Element | null {
  const id = element.getAttribute('form');
  return id === null ? element.closest('form') : element.ownerDocument.getElementById(id);
}

function labelOf(control: Element): string {
  const own = control.getAttribute('aria-label');
  if (own !== null) return own;
  const { id, ownerDocument } = control;
  const label = control.closest('label') ?? ownerDocument.querySelector(`label[for="${id}"]`);
  return label ? textOf(label) : '';
}

/** The control with the label, or the first one whose label begins so. */
function labelled(controls: readonly Element[], label: string): Element {
  const found =
    controls.find((each) => labelOf(each) === label) ??
    controls.find((each) => labelOf(each).startsWith(label));
  return found ?? assert.fail(`no field ${label} among ${controls.map(labelOf).join(' | ')}`);
}

function valueOf(control: Element): string {
  if (control.localName === 'textarea') return control.textContent ?? '';
  if (control.localName !== 'select') return control.getAttribute('value') ?? '';
  const option = control.querySelector('option[selected]') ?? control.querySelector('option');
  return option?.getAttribute('value') ?? option?.textContent ?? '';
}

function fill(control: Element, value: string | boolean): void {
  if (typeof value === 'boolean') {
    if (control.getAttribute('type') === 'radio') {
      const name = control.getAttribute('name');
      const group = control.ownerDocument.querySelectorAll(`input[type=radio][name="${name}"]`);
      for (const each of group) each.removeAttribute('checked');
    }
    control.toggleAttribute('checked', value);
  } else if (control.localName === 'select') {
    const options = [...control.querySelectorAll('option')];
    const chosen = options.find(
      (each) => textOf(each) === value || each.getAttribute('value') === value,
    );
    assert.ok(chosen, `no option ${value} among ${options.map(textOf).join(' | ')}`);
    for (const each of options) each.toggleAttribute('selected', each === chosen);
  } else if (control.localName === 'textarea') {
    control.textContent = value;
  } else {
    control.setAttribute('value', value);
  }
}

/** What a browser sends for a control. */
function entriesOf(control: Element): [name: string, value: string][] {
  const name = control.getAttribute('name');
  const type = control.getAttribute('type') ?? '';
  const isBox = type === 'checkbox' || type === 'radio';
  if (name === null || control.hasAttribute('disabled')) return [];
  if (isBox)
    return control.hasAttribute('checked') ? [[name, control.getAttribute('value') ?? 'on']] : [];
  return type === 'submit' ? [] : [[name, valueOf(control).replaceAll(/\r?\n/g, '\r\n')]];
}
