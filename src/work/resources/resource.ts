/**
 * Each field is declared once; reading, validation, records, forms, the team file, the activity log, command line
 * options and OpenAPI are derived.
 */
import type { ChannelRef } from '#domain/alerts/alert-settings';
import { type Fields, Findings, type Reading } from '../fields.ts';

export type Plain = string | number | boolean | null | object;

/** By default as stored. */
export interface Context {
  refOf?: ((text: string) => ChannelRef | null) | undefined;
  textOf?: ((ref: ChannelRef) => string) | undefined;
}

export type FieldKind =
  | 'text'
  | 'choice'
  | 'integer'
  | 'boolean'
  | 'instant'
  | 'durations'
  | 'rate'
  | 'words'
  | 'headers'
  | 'json'
  | 'assertions'
  | 'channels'
  | 'sources';

export interface OptionSpec {
  /** `--timeout <S>` */
  flags: string;
  help: string;
  /** The switch for the other value. */
  /** `excludes`: another option that contradicts it. */
  opposite?: { long: string; help: string; excludes?: string };
  choices?: readonly string[];
  /** `off` switches it off, any other value on. */
  switches?: string;
  /** For a new thing, although the field has a default. */
  isMandatory?: true;
  /** A switch that sets the field to false. */
  isOff?: true;
  isForNew?: true;
  /** From the environment or standard input. */
  isSecret?: true;
  /** Help of `--no-payload`. Without it there is no such option. */
  none?: string;
}

export interface Part {
  /** In bodies, forms, files and records. */
  name: string;
  kind: FieldKind;
  isRequired: boolean;
  /** As `write` gives it. Undefined: required. */
  initial?: Plain | undefined;
  /** Of fields that the API has. */
  schema: Schema | undefined;
  about?: string | undefined;
  option?: OptionSpec | undefined;
  /** People look for it, so the team file has it even at its default. */
  isAlwaysWritten?: boolean | undefined;
}

export interface Schema {
  type: string | readonly string[];
  enum?: readonly string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  [rule: string]: unknown;
}

/** Usually one field. */
export interface Entry<Value> {
  readonly parts: readonly Part[];
  readonly initial: Value | undefined;
  /** Undefined: left out, or wrong, with an error in the findings. */
  read(fields: Fields, findings: Findings, given: Given<Value>): Value | undefined;
  write(value: Value, context: Context): readonly Plain[];
  /** Of the command line, if they differ from `write`. */
  record?(value: Value): object;
  /** The word, and whether values are shown; secrets aren't. */
  activity?: Shown | undefined;
  /** If it differs from `write`. */
  say?(value: Value): string;
}

export type Shown = readonly [word: string, show: 'value' | 'name'];

export interface Given<Value> extends Context {
  /** The value before the change; undefined for a new thing. */
  stored?: Value | undefined;
}

/** In the order in which errors are reported. */
export type Resource<Thing extends object> = { readonly [Key in keyof Thing]-?: Entry<Thing[Key]> };

type AnyEntry = Entry<unknown>;

function entriesOf<Thing extends object>(
  resource: Resource<Thing>,
): (readonly [keyof Thing & string, AnyEntry])[] {
  const keys = Object.keys(resource) as (keyof Thing & string)[];
  return keys.map((key) => [key, resource[key] as AnyEntry]);
}

export function partsOf<Thing extends object>(resource: Resource<Thing>): readonly Part[] {
  return entriesOf(resource).flatMap(([, { parts }]) => parts);
}

export function namesOf<Thing extends object>(resource: Resource<Thing>): ReadonlySet<string> {
  return new Set(partsOf(resource).map(({ name }) => name));
}

/** Required fields are missing. */
export function initialOf<Thing extends object>(resource: Resource<Thing>): Thing {
  const initial = entriesOf(resource).flatMap(([key, entry]) =>
    entry.initial === undefined ? [] : [[key, entry.initial]],
  );
  return Object.fromEntries(initial) as Thing;
}

/** A missing field keeps its stored value, or takes its default. Others are ignored. Never throws. */
export function readWhole<Thing extends object>(
  resource: Resource<Thing>,
  fields: Fields,
  given: Given<Partial<Thing>> = {},
): Reading<Thing> {
  const findings = new Findings();
  return findings.settle(takeWhole(resource, fields, findings, given));
}

export function takeWhole<Thing extends object>(
  resource: Resource<Thing>,
  fields: Fields,
  findings: Findings,
  { stored, ...context }: Given<Partial<Thing>> = {},
): Thing {
  const read = entriesOf(resource).map(([key, entry]) => {
    const isStored = stored?.[key] !== undefined;
    const isGiven = entry.parts.some(({ name }) => fields.has(name));
    if (isStored && !isGiven) return [key, stored[key]];
    const value = entry.read(fields, findings, { ...context, stored: stored?.[key] });
    return [key, value === undefined ? (stored?.[key] ?? entry.initial) : value];
  });
  return Object.fromEntries(read) as Thing;
}

/** A missing field changes nothing. Never throws. */
export function readChange<Thing extends object>(
  resource: Resource<Thing>,
  fields: Fields,
  given: Given<Partial<Thing>> = {},
): Reading<Partial<Thing>> {
  const findings = new Findings();
  return findings.settle(takeChange(resource, fields, findings, given));
}

export function takeChange<Thing extends object>(
  resource: Resource<Thing>,
  fields: Fields,
  findings: Findings,
  { stored, ...context }: Given<Partial<Thing>>,
): Partial<Thing> {
  const change: Partial<Record<string, unknown>> = {};
  for (const [key, entry] of entriesOf(resource)) {
    if (!entry.parts.some(({ name }) => fields.has(name))) continue;
    const value = entry.read(fields, findings, { ...context, stored: stored?.[key] });
    if (value !== undefined) change[key] = value;
  }
  return change as Partial<Thing>;
}

export function write<Thing extends object>(
  resource: Resource<Thing>,
  thing: Thing,
  context: Context = {},
): Map<string, Plain> {
  return new Map(
    entriesOf(resource).flatMap(([key, entry]) => {
      const values = entry.write(thing[key], context);
      return entry.parts.map(({ name }, at) => [name, values[at] ?? null] as const);
    }),
  );
}

export function isWritten(
  { isRequired, isAlwaysWritten, initial = null }: Part,
  value: Plain,
): boolean {
  return isRequired || isAlwaysWritten === true || toJson(value) !== toJson(initial);
}

/** Switches are `1` or `0`. */
export function writeTexts<Thing extends object>(
  resource: Resource<Thing>,
  thing: Thing,
  context: Context = {},
): Record<string, string> {
  const texts = [...write(resource, thing, context)].map(([name, value]) => [name, textOf(value)]);
  return Object.fromEntries(texts) as Record<string, string>;
}

function textOf(value: Plain): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value instanceof Map) return [...value].map(([name, text]) => `${name}: ${text}`).join('\n');
  if (isWords(value)) return value.join(', ');
  if (value instanceof JsonText) return value.text;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A map keeps the order of its names, numbers among them too. */
export function toJson(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (value instanceof JsonText) return value.text;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const pairs = [...(value as Map<string, Plain>)].map(
    ([name, each]) => `${JSON.stringify(name)}: ${toJson(each)}`,
  );
  return `{${pairs.join(', ')}}`;
}

/** Without headers and payloads, which may hold secrets. */
export function writeRecord<Thing extends object>(
  resource: Resource<Thing>,
  thing: Thing,
): Record<string, unknown> {
  const members = entriesOf(resource).map(([key, entry]) => {
    if (entry.record) return entry.record(thing[key]);
    const values = entry.write(thing[key], {});
    return Object.fromEntries(entry.parts.map(({ name }, at) => [name, values[at]]));
  });
  return Object.assign({}, ...members) as Record<string, unknown>;
}

/** `schedule: 0 3 * * * → 0 4 * * *, URL`. Without `before` the thing is new. */
export function describeChange<Thing extends object>(
  resource: Resource<Thing>,
  before: Thing | null,
  after: Thing,
): string {
  if (before === null) return 'new';
  const changes = entriesOf(resource).flatMap(([key, entry]) => {
    const [word, show] = entry.activity ?? [];
    if (word === undefined) return [];
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) return [];
    return show === 'name'
      ? word
      : `${word}: ${say(entry, before[key])} → ${say(entry, after[key])}`;
  });
  return changes.join(', ') || '(no change)';
}

function say(entry: AnyEntry, value: unknown): string {
  if (entry.say) return entry.say(value);
  const [written = null] = entry.write(value, {});
  if (typeof written === 'boolean') return written ? 'yes' : 'no';
  if (isWords(written)) return written.join(' ') || 'none';
  return textOf(written) || 'none';
}
