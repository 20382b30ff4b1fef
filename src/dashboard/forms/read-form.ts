/** Reads a `CheckField`. */
export function readChecked(form: FormData, name: string): boolean {
  return form.getAll(name).at(-1) === '1';
}

/** Reads one text of a form; empty if the field is missing or holds a file. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
