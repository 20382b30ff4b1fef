import { stringify } from 'yaml';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import { type Fields, Findings } from '#work/fields';
import {
  type Given,
  isWritten,
  partsOf,
  type Resource,
  takeWhole,
  write,
} from '#work/resources/resource';
import type { Work } from '#work/work';
import { fieldsOf, type Mapping, type Path, type Problem, SECRET_PREFIX } from './document.ts';
import { showPath, type TeamDocument, type Value } from './document.ts';
import { type AnySection, SECTIONS, type Stored } from '../collections.ts';
import { compare, type FieldChange, hideSecrets, type Step } from '../steps.ts';

const FILE_VERSION = 1;

interface Item {
  section: AnySection;
  path: Path;
  mapping: Mapping;
  fields: Fields;
  name: string;
  isRead: boolean;
}

export function readTeam({ root, problems: unset }: TeamDocument): {
  items: Item[];
  problems: Problem[];
} {
  const problems: Problem[] = [];
  const keys = SECTIONS.map(({ key }) => key);
  const mapping = takeMapping(root, [], ['version', ...keys], problems);
  if (mapping.get('version') !== FILE_VERSION) {
    const message = `It must be ${FILE_VERSION}, the version of files that is read here.`;
    problems.push({ path: ['version'], message });
  }
  const items = SECTIONS.flatMap((section) => {
    const { key, isSingle } = section;
    const value = mapping.get(key) ?? null;
    if (value === null) return [];
    if (isSingle) return [readItem(section, value, [key], problems)];
    const list = takeList(key, value, problems);
    return list.map((each, at) => readItem(section, each, [key, at], problems));
  });
  // A variable that isn't set leaves its field empty or wrong too.
  const isUnset = (path: Path) =>
    unset.some((each) => path.every((step, at) => step === each.path[at]));
  return { items, problems: [...unset, ...problems.filter(({ path }) => !isUnset(path))] };
}

/** A misspelt field would silently stay at its default. */
function takeMapping(value: Value, path: Path, known: string[], problems: Problem[]): Mapping {
  const isMapping = value instanceof Map;
  if (!isMapping) problems.push({ path, message: `It must have fields: ${known.join(', ')}.` });
  const mapping = isMapping ? value : new Map<string, Value>();
  const message = `There is no such field; there are ${known.join(', ')}.`;
  for (const field of mapping.keys())
    if (!known.includes(field)) problems.push({ path: [...path, field], message });
  return mapping;
}

/** A later file finds items by name. */
function takeList(key: string, list: Value, problems: Problem[]): Value[] {
  if (!Array.isArray(list)) problems.push({ path: [key], message: 'It must be a list.' });
  const items = Array.isArray(list) ? list : [];
  const names = items.map((item) => (item instanceof Map ? item.get('name') : undefined));
  for (const [at, name] of names.entries()) {
    const first = names.indexOf(name);
    const message = `It is the name of ${key}[${first}] too.`;
    if (typeof name === 'string' && first < at) problems.push({ path: [key, at, 'name'], message });
  }
  return items;
}

function readItem(section: AnySection, value: Value, path: Path, problems: Problem[]): Item {
  const known = partsOf(section.resource).map(({ name }) => name);
  const mapping = takeMapping(value, path, known, problems);
  const fields = fieldsOf(mapping);
  const findings = new Findings();
  const reading = findings.settle(takeItem(section, fields, findings, {}));
  for (const [field, messages] of reading.ok ? [] : reading.errors) {
    // `headers.X.Y` is a header: only the first dot separates steps.
    const [, top = field, rest] = /^([^.]+)\.(.*)$/s.exec(field) ?? [];
    const steps = rest === undefined ? [top] : [top, rest];
    for (const message of messages) problems.push({ path: [...path, ...steps], message });
  }
  const given = mapping.get('name');
  const name = reading.ok ? nameOf(section, reading.input) : typeof given === 'string' ? given : '';
  return { section, path, mapping, fields, name, isRead: reading.ok };
}

function takeItem(section: AnySection, fields: Fields, findings: Findings, given: Given<object>) {
  const item = takeWhole(section.resource, fields, findings, given);
  section.check?.(item, findings);
  return item;
}

function nameOf({ resource }: AnySection, thing: object): string {
  const written = write(resource, thing);
  const name = written.get('name') ?? written.get('kind');
  return typeof name === 'string' ? name : '';
}

type TeamState = ReadonlyMap<AnySection, readonly Stored[]>;

export async function loadTeam(work: Work, teamId: string): Promise<TeamState> {
  const loading = SECTIONS.map(async (each) => [each, await each.load(work, teamId)] as const);
  return new Map(await Promise.all(loading));
}

function presentNames(state: TeamState, key: string): string[] {
  const [section, items] = [...state].find(([each]) => each.key === key) ?? [];
  return section && items ? items.map((item) => nameOf(section, item)) : [];
}

/** A deleted channel becomes the default one. */
function namedChannels(state: TeamState) {
  const [, items = []] = [...state].find(([{ key }]) => key === 'channels') ?? [];
  const names = presentNames(state, 'channels');
  return { textOf: (ref: string) => names[items.findIndex(({ id }) => id === ref)] ?? DEFAULT_REF };
}

/** Planned again afterwards, there are none. */
export function planTeam(
  items: readonly Item[],
  state: TeamState,
  { secretPaths }: Pick<TeamDocument, 'secretPaths'>,
  { isSecretHeader, now }: { isSecretHeader: IsSecretHeader; now: number },
): { steps: Step[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const namesOf = (key: string) => [
    ...items.flatMap(({ section, name }) => (section.key === key ? [name] : [])),
    ...presentNames(state, key),
  ];
  const channels = [DEFAULT_REF, ...namesOf('channels')];
  const covered = { crons: namesOf('crons'), queues: namesOf('queues') };
  const steps = items.flatMap((item) => {
    const { section, path, name } = item;
    problems.push(...findUnknownNames(item, channels, covered));
    const all = state.get(section) ?? [];
    const found = section.isSingle ? all : all.filter((each) => nameOf(section, each) === name);
    const message = `The team has ${found.length} of this name; rename or delete the others first.`;
    if (found.length > 1) problems.push({ path: [...path, 'name'], message });
    if (!item.isRead) return [];
    const isSecret = (field: string) =>
      secretPaths.has(showPath([...path, field])) || section.isSecret?.(field) === true;
    return planItem(item, found[0], state, now, (changes) =>
      hideSecrets(changes, isSecretHeader, isSecret),
    );
  });
  return { steps, problems };
}

function findUnknownNames(
  { section, path, mapping }: Item,
  channels: readonly string[],
  covered: Readonly<Record<string, readonly string[]>>,
): Problem[] {
  const unknown = (list: Value | undefined, known: readonly string[], what: string, steps: Path) =>
    (Array.isArray(list) ? list : []).flatMap((name, at) => {
      const message = `Neither the team nor the file has ${what} of this name.`;
      const isKnown = typeof name !== 'string' || known.includes(name);
      return isKnown ? [] : [{ path: [...path, ...steps, at], message }];
    });
  const lists = partsOf(section.resource).filter(({ kind }) => kind === 'channels');
  const covers = mapping.get('covers');
  const coveredIn = (field: string) => (covers instanceof Map ? covers.get(field) : undefined);
  return [
    ...lists.flatMap(({ name }) => unknown(mapping.get(name), channels, 'a channel', [name])),
    ...Object.entries(covered).flatMap(([field, known]) =>
      unknown(coveredIn(field), known, 'one', ['covers', field]),
    ),
  ];
}

function planItem(
  { section, fields, name }: Item,
  current: Stored | undefined,
  state: TeamState,
  now: number,
  hide: (changes: readonly FieldChange[]) => FieldChange[],
): Step[] {
  const { resource, kind } = section;
  const stored = staying(section, fields, current);
  const read = (given: Given<object>) => {
    const item = takeItem(section, fields, new Findings(), { ...given, stored });
    return section.settle?.(item, now) ?? item;
  };
  const before = current && write<object>(resource, current, namedChannels(state));
  const changes = compare(partsOf(resource), before, write(resource, read({})));
  if (current && changes.length === 0) return [];
  const apply = async (work: Work, teamId: string) => {
    // An earlier step may have created a channel.
    const all = await work.listChannelChoices(teamId);
    const refOf = (ref: string) => all.find((each) => each.name === ref)?.id ?? DEFAULT_REF;
    await section.save(work, teamId, read({ refOf }), current);
  };
  const action = current ? 'change' : 'create';
  return [{ action, kind, name, changes: hide(changes), apply }];
}

/** A pause that the file doesn't mention. */
function staying({ resource, stays = [] }: AnySection, fields: Fields, current?: Stored): object {
  const pick = (thing: object) =>
    Object.fromEntries(Object.entries(thing).filter(([property]) => stays.includes(property)));
  const parts = partsOf(pick(resource) as Resource<object>);
  return parts.some(({ name }) => fields.has(name)) ? {} : pick(current ?? {});
}

/** Secrets are left out: the file names environment variables. */
export function writeTeamFile(
  teamName: string,
  state: TeamState,
  isSecretHeader: IsSecretHeader,
): {
  text: string;
  secrets: readonly string[];
  /** Names that several items of a section have: apply refuses them. */
  repeated: readonly { key: string; name: string }[];
} {
  const secrets: string[] = [];
  /** Gives a secret a unique variable name. */
  const refer = (...about: readonly string[]) => {
    const words = about
      .join('_')
      .normalize('NFKD')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_');
    const plain = words.replaceAll(/^_+|_+$/g, '').slice(0, 100);
    const name = `${SECRET_PREFIX}${plain || 'VALUE'}`;
    let free = name;
    for (let n = 2; secrets.includes(free); n++) free = `${name}_${n}`;
    secrets.push(free);
    return { env: free };
  };
  const writeItem = (section: AnySection, item: Stored) => {
    const values = write<object>(section.resource, item, namedChannels(state));
    const about = section.isSingle ? section.key : nameOf(section, item);
    const written = partsOf(section.resource).flatMap((part) => {
      const value = values.get(part.name) ?? null;
      if (!isWritten(part, value)) return [];
      if (section.isSecret?.(part.name)) return [[part.name, refer(about, part.name)] as const];
      if (part.kind !== 'headers') return [[part.name, value] as const];
      const headers = [...(value as ReadonlyMap<string, string>)].map(
        ([name, text]) => [name, isSecretHeader(name) ? refer(about, name) : text] as const,
      );
      return [[part.name, new Map(headers)] as const];
    });
    return new Map<string, unknown>(written);
  };
  const content = new Map<string, unknown>([['version', FILE_VERSION]]);
  const repeated: { key: string; name: string }[] = [];
  for (const [section, all] of state) {
    const { key, isSingle } = section;
    const items = all.filter(({ isPast }) => !isPast);
    const written = items.map((item) => writeItem(section, item));
    if (written.length > 0) content.set(key, isSingle ? written[0] : written);
    const names = items.map((item) => nameOf(section, item));
    const again = new Set(names.filter((name, at) => names.indexOf(name) < at));
    repeated.push(...[...again].map((name) => ({ key, name })));
  }
  const head = `# Team ${JSON.stringify(teamName)}. \`belfry team apply\` changes a team to match this file.\n`;
  const needs = secrets.length === 0 ? '' : `# Reads from the environment: ${secrets.join(', ')}\n`;
  return { text: head + needs + stringify(content, { lineWidth: 0 }), secrets, repeated };
}
