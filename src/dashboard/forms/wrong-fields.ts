/** Where the words stand that say what is wrong with a field, and how to get to the field. */

/** The id of the words, for links to them; `headers.X-Trace` is told at `headers`. */
export function wrongId(field: string): string {
  return `wrong-${field.split('.')[0]}`;
}

const controls = 'input:not([type=hidden]), select, textarea';

/** Brings the field of those words into view and puts the cursor in it. */
export function goToField(words: Element | null | undefined): void {
  const place = words?.closest('[data-field], fieldset');
  const control = place?.querySelector<HTMLElement>(controls);
  control?.focus({ preventScroll: true });
  (place ?? words)?.scrollIntoView({ block: 'center' });
}

/** The first field of the form that something is wrong with. */
export function goToFirstWrong(form: Element): void {
  const words = form.querySelector('[id^="wrong-"]');
  if (words) goToField(words);
}
