/** `headers.X-Trace` uses the error text of `headers`. */
export function wrongId(field: string): string {
  return `wrong-${field.split('.')[0]}`;
}

const controls = 'input:not([type=hidden]), select, textarea';

export function goToField(words: Element | null | undefined): void {
  const place = words?.closest('[data-field], fieldset');
  const folded = place?.closest('details');
  if (folded) folded.open = true;
  const control = place?.querySelector<HTMLElement>(controls);
  control?.focus({ preventScroll: true });
  (place ?? words)?.scrollIntoView({ block: 'center' });
}

export function goToFirstWrong(form: Element): void {
  const words = form.querySelector('[id^="wrong-"]');
  if (words) goToField(words);
}
