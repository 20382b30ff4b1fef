/** What forms hold and how they are answered. */
import type { FieldErrors } from '../services.ts';

/** The texts of a form's fields by their names, as they were typed. Fields with rows or boxes have several. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/** The answer to a form that stays on its page. */
export type FormAnswer = {
  /** The button that was pressed. It tells the forms of a page apart. */
  intent?: string;
  values?: Values;
  errors?: FieldErrors;
  /** What is wrong with the form as a whole, and a heading for it. */
  problem?: string;
  title?: string;
};

/** Passwords and what a device answers are never sent back. */
const secrets = /password|^answer$/;

/** What was typed into a form, to show it again. */
export function valuesOf(form: FormData): Values {
  const values = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of form)
    if (typeof value === 'string' && !secrets.test(name)) (values[name] ??= []).push(value);
  return values;
}

/** The text of a field; undefined if the form has none of that name. Of several the last counts. */
export function textIn(values: Values, name: string): string | undefined {
  return listIn(values, name).at(-1);
}

export function listIn(values: Values, name: string): readonly string[] {
  const value = Object.hasOwn(values, name) ? (values[name] ?? []) : [];
  return typeof value === 'string' ? [value] : value;
}

/** Reads a `CheckField`. */
export function readChecked(form: FormData, name: string): boolean {
  return form.getAll(name).at(-1) === '1';
}

/** Reads several texts of a form, each under its name. */
export function readTexts<Name extends string>(
  form: FormData,
  ...names: readonly Name[]
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, readText(form, name)])) as Record<
    Name,
    string
  >;
}

/** Reads one text of a form; empty if the field is missing or holds a file. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
