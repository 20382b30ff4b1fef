/** The ids of error texts, and how to get from them to their fields. */

/** The id of a field's error text, for links to it. `headers.X-Trace` uses the error text of `headers`. */
export function wrongId(field: string): string {
  return `wrong-${field.split('.')[0]}`;
}

const controls = 'input:not([type=hidden]), select, textarea';

/** Scrolls to the field that the error text belongs to, and focuses it. */
export function goToField(words: Element | null | undefined): void {
  const place = words?.closest('[data-field], fieldset');
  const control = place?.querySelector<HTMLElement>(controls);
  control?.focus({ preventScroll: true });
  (place ?? words)?.scrollIntoView({ block: 'center' });
}

/** Goes to the first wrong field of the form. */
export function goToFirstWrong(form: Element): void {
  const words = form.querySelector('[id^="wrong-"]');
  if (words) goToField(words);
}
