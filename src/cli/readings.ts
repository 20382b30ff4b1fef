import { parseJsonText, readTopLevelFields } from '#domain/json-text';
import type { Fields, Reading } from '#work/fields';
import { CommandFault } from './fault.ts';

/** Options as the fields that the readers of work take: each value is its JSON text. */
export type Members = Record<string, string>;

export function fieldsOf(members: Members): Fields {
  const pairs = Object.entries(members).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return readTopLevelFields(`{${pairs.join()}}`) ?? new Map();
}

/**
 * The input that was read. Throws a CommandFault of one line that names every option that is wrong.
 *
 * @param optionOf  the option that sets each field
 */
export function accept<Input>(
  reading: Reading<Input>,
  optionOf: Readonly<Record<string, string>>,
): Input {
  if (reading.ok) return reading.input;
  const lines = reading.errors.map(([field, messages]) => {
    const [top = field] = field.split('.', 1);
    return `${optionOf[field] ?? optionOf[top] ?? field}: ${messages.join(' ')}`;
  });
  throw new CommandFault(lines.join(' '));
}

/** In a form a blank field means the default; on the command line it is a mistake. */
export function refuseBlank(option: string, text: string): void {
  if (text.trim() === '') throw new CommandFault(`${option} is empty.`);
}

/** An option as it was given: `false` where its `--no-…` form was. */
type Given<Value> = Value | false | undefined;

/**
 * The fields whose options were given.
 *
 * @param texts  by field
 * @param optionOf  the option that sets each field
 */
export function membersOf<Field extends string>(
  texts: { readonly [Name in NoInfer<Field>]?: Given<string> },
  optionOf: Readonly<Record<Field, string>>,
  options: { header?: string[]; headers?: boolean; jsonPayload?: Given<string> },
): Members {
  const { header, headers, jsonPayload } = options;
  const members: Members = {};
  for (const [field, text] of Object.entries(texts) as [Field, Given<string>][]) {
    if (text === undefined) continue;
    if (text !== false) refuseBlank(optionOf[field], text);
    members[field] = text === false ? 'null' : JSON.stringify(text);
  }
  if (header) members['headers'] = readHeaderOptions(header);
  else if (headers === false) members['headers'] = 'null';
  if (jsonPayload === false) members['payload'] = 'null';
  else if (jsonPayload !== undefined) members['payload'] = readJsonOption('--payload', jsonPayload);
  return members;
}

/** The text of any JSON value, as it was given. */
function readJsonOption(option: string, text: string): string {
  // Any depth is parsed here; the field's reader checks the depth that is allowed.
  if (parseJsonText(text, Number.MAX_SAFE_INTEGER) !== 'malformed') return text.trim();
  throw new CommandFault(`${option}: It must be written as JSON.`);
}

/** Reads options of the form `Name: value` into the JSON text of one object. */
function readHeaderOptions(headers: readonly string[]): string {
  const entries = headers.map((text) => {
    const [, name, value] = /^([^:]+):\s?(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      // The message leaves the text out: it may hold a secret.
      throw new CommandFault('--header: It must be a name, a colon and a value.');
    }
    return [name.trim(), value] as const;
  });
  return writeHeaders(entries);
}

/** Writes headers as JSON text by hand: a JavaScript object would move names that are numbers to the front. */
export function writeHeaders(headers: readonly (readonly [name: string, value: string])[]): string {
  const pairs = headers.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${pairs.join()}}`;
}
