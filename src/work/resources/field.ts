import type { JsonField } from '#domain/json/text';
import { type Findings, findGiven } from '../fields.ts';
import type { Context, Entry, FieldKind, OptionSpec, Plain, Resource } from './resource.ts';
import { type Schema, type Shown, takeChange } from './resource.ts';

export interface Declared<Value> {
  /** For the OpenAPI document. */
  about?: string;
  examples?: readonly string[];
  option?: OptionSpec;
  isAlwaysWritten?: true;
  record?(value: Value): object;
  activity?: Shown;
}

interface Behaviour<Value> {
  kind: FieldKind;
  /** Of fields that the API has. */
  schema?: Schema;
  /** If the field is left out. Undefined: required. */
  initial: Value | undefined;
  /** If it is blank. Undefined: as if left out. */
  blank?: Value | undefined;
  /** A value that isn't blank. @param report returns undefined: the value is wrong */
  read: (
    given: JsonField,
    report: (message: string) => undefined,
    context: Context & { findings: Findings },
  ) => Value | undefined;
  /** If the value isn't plain. */
  write?: (value: Value, context: Context) => Plain;
}

export function field<Value>(
  name: string,
  declared: Declared<Value> & { missing?: string },
  { kind, schema, initial, blank, read, write }: Behaviour<Value>,
): Entry<Value> {
  const { about, examples, option, isAlwaysWritten, activity, missing } = declared;
  const isRequired = missing !== undefined;
  const toPlain = (value: Value, context: Context) =>
    write ? write(value, context) : (value as Plain);
  const part = { name, kind, isRequired, about, option, isAlwaysWritten };
  const plain = initial === undefined ? undefined : toPlain(initial, {});
  return {
    parts: [{ ...part, initial: plain, schema: schema && { ...schema, examples } }],
    initial,
    read: (fields, findings, context) => {
      const given = findGiven(fields, name);
      const report = (message: string) => {
        findings.add(name, message);
        return undefined;
      };
      if (given !== null) return read(given, report, { ...context, findings });
      if (isRequired) report(missing);
      return fields.has(name) ? blank : undefined;
    },
    write: (value, context) => [toPlain(value, context)],
    ...(declared.record && { record: (value) => declared.record?.(value) ?? {} }),
    activity,
  };
}

export type Optional<Value> = Declared<Value | null>;

export function group<Parts extends object, Value>(
  fields: Resource<Parts>,
  {
    join,
    split,
    ...declared
  }: {
    join: (parts: Parts) => Value;
    split: (value: Value) => Parts;
    record?: (value: Value) => object;
    activity?: Shown;
    say?: (value: Value) => string;
  },
): Entry<Value> {
  const entries = Object.entries(fields) as [keyof Parts & string, Entry<unknown>][];
  const initial = Object.fromEntries(entries.map(([key, each]) => [key, each.initial])) as Parts;
  const parts = entries.flatMap(([, each]) => each.parts);
  return {
    parts,
    initial: join(initial),
    read: (given, findings, { stored, ...context }) => {
      if (!parts.some(({ name }) => given.has(name))) return undefined;
      const before = stored === undefined ? initial : split(stored);
      const change = takeChange(fields, given, findings, { ...context, stored: before });
      return join({ ...before, ...change });
    },
    write: (value, context) => {
      const written = split(value);
      return entries.flatMap(([key, each]) => each.write(written[key], context));
    },
    ...declared,
  };
}
