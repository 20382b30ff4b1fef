import type { FieldErrors } from '../services.ts';

/** As typed. Fields with rows or boxes have several. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

export type FormAnswer = {
  /** Tells the forms of a page apart. */
  intent?: string;
  values?: Values;
  errors?: FieldErrors;
  problem?: string;
  title?: string;
};

/** See serving/version.ts. */
export const versionField = 'version';

/** Fields whose values no response repeats. */
const secrets = /password|^answer$/;

export function valuesOf(form: FormData): Values {
  const values = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of form)
    if (typeof value === 'string' && !secrets.test(name)) (values[name] ??= []).push(value);
  return values;
}

/** The last one counts. */
export function textIn(values: Values, name: string): string | undefined {
  return listIn(values, name).at(-1);
}

export function listIn(values: Values, name: string): readonly string[] {
  const value = Object.hasOwn(values, name) ? (values[name] ?? []) : [];
  return typeof value === 'string' ? [value] : value;
}

export function readChecked(form: FormData, name: string): boolean {
  return form.getAll(name).at(-1) === '1';
}

/** Empty if the field is missing or a file. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
