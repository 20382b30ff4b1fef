import type { JsonField } from '#domain/json/text';
import { type Findings, findGiven } from '../fields.ts';
import type { Context, Entry, FieldKind, OptionSpec, Plain, Resource } from './resource.ts';
import { initialOf, partsOf, type Schema, type Shown, takeChange } from './resource.ts';

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

/** One property of several fields. */
export function group<Value extends object>(
  fields: Resource<Value>,
  declared: {
    record?: (value: Value) => object;
    activity?: Shown;
    say?: (value: Value) => string;
  } = {},
): Entry<Value> {
  const entries = Object.entries(fields) as [keyof Value & string, Entry<unknown>][];
  const initial = initialOf(fields);
  const parts = partsOf(fields);
  return {
    parts,
    initial,
    read: (given, findings, { stored = initial, ...context }) => {
      if (!parts.some(({ name }) => given.has(name))) return undefined;
      return { ...stored, ...takeChange(fields, given, findings, { ...context, stored }) };
    },
    write: (value, context) => entries.flatMap(([key, each]) => each.write(value[key], context)),
    ...declared,
  };
}
