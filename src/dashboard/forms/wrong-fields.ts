/** `headers.X-Trace` is about a part of the input `headers`. */
export function inputOf(field: string): string {
  const [name = field] = field.split('.');
  return name;
}

export function wrongId(field: string): string {
  return `wrong-${inputOf(field)}`;
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
  // Else the problem of the whole form, which may be far above its buttons.
  const words =
    form.querySelector('[id^="wrong-"]') ?? form.querySelector(':scope > [role="alert"]');
  if (words) goToField(words);
}
