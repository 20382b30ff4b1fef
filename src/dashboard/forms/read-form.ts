/** What a `CheckField` says. */
export function readChecked(form: FormData, name: string): boolean {
  return form.getAll(name).at(-1) === '1';
}

/** One text of a form, empty where it is missing or a file. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
