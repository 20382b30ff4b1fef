/** From a form's texts to the fields that the readers of `work` take, without changing what was typed. */
import { ASSERTION_KINDS, assertionOfTexts } from '#domain/assertion';
import type { HeaderList } from '#domain/exchange';
import { type JsonField, readJsonField } from '#domain/json-text';
import { readHeaderLines } from './header-lines.ts';
import { readChecked, readText } from '../forms/read-form.ts';
import type { FieldErrors } from '../services.ts';
import { mask, type AssertionRow, type RequestFormValues } from './form-values.ts';

/** Reads a text with LF as line ends. Browsers send CRLF, whatever was typed. */
function readLines(form: FormData, name: string): string {
  return readText(form, name).replaceAll('\r\n', '\n');
}

export function readRequest(form: FormData): RequestFormValues {
  return {
    url: readText(form, 'url').trim(),
    method: readText(form, 'method'),
    headers: readLines(form, 'headers'),
    payload: readLines(form, 'payload'),
    callback_url: readText(form, 'callback_url').trim(),
  };
}

/** The rows of an `AssertionsEditor`. A row without a kind is ignored. */
export function readAssertionRows(form: FormData): AssertionRow[] {
  const [paths, values] = [form.getAll('assertion_path'), form.getAll('assertion_value')];
  const textAt = (list: FormDataEntryValue[], at: number) => {
    const value = list[at];
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
  };
  return form.getAll('assertion_kind').flatMap((given, at) => {
    const kind = ASSERTION_KINDS.find((known) => known === given);
    return kind ? [{ kind, path: textAt(paths, at), value: textAt(values, at) }] : [];
  });
}

/** Rows in the form that `parseAssertions` takes. */
export function assertionsOfRows(rows: readonly AssertionRow[]): unknown[] {
  return rows.map(({ kind, ...texts }) => (kind === '' ? {} : assertionOfTexts(kind, texts)));
}

/** Header lines as the JSON object of §2.1, in their order; a masked value stands for the stored one. */
export function headersJson(lines: string, stored: HeaderList): string {
  const exact = new Map(stored);
  // Of several spellings of one name the first counts.
  const inAnyCase = new Map(
    stored.toReversed().map(([name, value]) => [name.toLowerCase(), value]),
  );
  const members = readHeaderLines(lines).map(({ name, value }) => {
    const kept = value === mask ? (exact.get(name) ?? inAnyCase.get(name.toLowerCase())) : null;
    return `${JSON.stringify(name)}:${JSON.stringify(kept ?? value)}`;
  });
  return `{${members.join()}}`;
}

/** Names of the headers whose values were left masked. */
export function findMasked(lines: string): string[] {
  return readHeaderLines(lines)
    .filter(({ value }) => value === mask)
    .map(({ name }) => name);
}

/**
 * Reports a header that is written twice: an object can hold only one of them, so the first value would be lost
 * silently.
 */
export function findRepeatedHeader(lines: string): FieldErrors {
  const seen = new Set<string>();
  for (const { name } of readHeaderLines(lines)) {
    if (seen.has(name))
      return { headers: [`The header ${name} is there twice. Keep one of them.`] };
    seen.add(name);
  }
  return {};
}

/** Builds fields from texts, and from values that are already JSON. */
export function buildFields(
  texts: Readonly<Record<string, string>>,
  json: Readonly<Record<string, JsonField | null>> = {},
): Map<string, JsonField> {
  const fields = new Map<string, JsonField>();
  for (const [name, value] of Object.entries(texts))
    fields.set(name, { kind: 'string', value, raw: JSON.stringify(value) });
  for (const [name, field] of Object.entries(json)) if (field !== null) fields.set(name, field);
  return fields;
}

/** A text that is a JSON object or list, which is what a job can carry. Null for any other. */
export function readJsonPayload(text: string): JsonField | null {
  const field = readJsonField(text);
  return field?.kind === 'object' || field?.kind === 'array' ? field : null;
}

export function writeChecked(form: FormData, name: string): '1' | '0' {
  return readChecked(form, name) ? '1' : '0';
}

export function errorsOf(
  errors: readonly (readonly [field: string, messages: readonly string[]])[],
): FieldErrors {
  return Object.fromEntries(errors.map(([field, messages]) => [field, [...messages]]));
}
