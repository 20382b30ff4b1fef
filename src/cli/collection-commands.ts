import type { Command } from 'commander';
import { readTopLevelFields } from '#domain/json/text';
import { type Fields, Findings } from '#work/fields';
import { type Given, readWhole, type Resource } from '#work/resources/resource';
import { takeChange, takeWhole } from '#work/resources/resource';
import type { Work } from '#work/work';
import type { Commanded, Stored } from './collections.ts';
import { CommandFault } from './fault.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { withTag } from './lists.ts';
import { addTeamOption } from './options.ts';
import { channelContext, missing, type Session, show, verbsOf } from './session.ts';

export interface Words {
  create?: { name: string; description: string };
  edits?: true;
  delete: { name: string; description: string };
}

export interface ItemPlace<Item> {
  session: Session;
  work: Work;
  teamId: string;
  item: Item;
}

type Findable<Item> = Pick<Commanded<object>, 'kind' | 'nameOption'> & {
  find?(work: Work, teamId: string, id: string): Promise<Item | null>;
  load?(work: Work, teamId: string): Promise<(Item & { id: string })[]>;
};

type ItemVerbs<Item> = ReturnType<typeof itemVerbs<Item>>;

/** By `--id`, or `--team` and its name. */
export function itemVerbs<Item>(session: Session, group: Command, findable: Findable<Item>) {
  const { kind, nameOption } = findable;
  const addOptions = (command: Command) =>
    nameOption
      ? addTeamOption(command).requiredOption(nameOption.flags, nameOption.help)
      : command.requiredOption('--id <ID>', `the ${kind}'s id`);
  return verbsOf(session, group, addOptions, async (options): Promise<ItemPlace<Item>> => {
    return { session, ...(await findItem(session, findable, options)) };
  });
}

export function addCollectionCommands<Thing extends object, Item extends Stored<Thing>>(
  session: Session,
  group: Command,
  collection: Commanded<Thing, Item>,
  words: Words,
): ItemVerbs<Item> {
  const { kind, resource, nameOption } = collection;
  addList(session, group, collection);
  const verb = itemVerbs<Item>(session, group, collection);
  verb('show', `one ${kind}`, async ({ item }) => collection.record(item));
  const { create } = words;
  if (create) {
    const command = addTeamOption(group.command(create.name).description(create.description));
    addFieldOptions(command, resource, { isNew: true }).action(
      (options: Options & { team: string }) => createItem(session, collection, options),
    );
  }
  // `--name` names the item, so it can't be a new name too.
  const edited = nameOption ? withoutName(resource) : resource;
  if (words.edits) {
    const edit = verb('edit', `change the given fields of a ${kind}`, (place, options) =>
      editItem(collection, edited, place, options),
    );
    addFieldOptions(edit, edited);
  }
  if (nameOption) {
    verb('rename', `give a ${kind} another name`, (place, { to }) =>
      renameItem(collection, place, String(to)),
    ).requiredOption('--to <N>', 'the new name');
  }
  addDelete(collection, verb, words.delete);
  return verb;
}

function addList<Thing extends object, Item extends Stored<Thing>>(
  session: Session,
  group: Command,
  collection: Commanded<Thing, Item>,
): void {
  const { kind, resource, columns } = collection;
  const list = addTeamOption(group.command('list').description(`a team's ${kind}s`));
  if ('tags' in resource) list.option('--tag <TAG>', 'only those that have it');
  list.action(async ({ team, tag }: { team: string; tag?: string }) => {
    const { teamId, work } = await session.findTeam(team);
    const items: (Item & { tags?: readonly string[] })[] = await collection.load(work, teamId);
    const records = withTag(items, tag).map((item) => collection.record(item));
    session.printList(records as Record<string, unknown>[], columns);
  });
}

function addDelete<Thing extends object, Item extends Stored<Thing>>(
  collection: Commanded<Thing, Item>,
  verb: ItemVerbs<Item>,
  { name, description }: Words['delete'],
): void {
  const { kind, deletesToo } = collection;
  const command = verb(name, description, async ({ work, teamId, item }, { yes }) => {
    if (deletesToo && yes !== true)
      throw new CommandFault(`this deletes the ${kind} with ${deletesToo}; add --yes to confirm.`);
    const more = await collection.remove(work, teamId, item.id);
    if (more === null) throw missing(kind, item.id);
    return { ...collection.record(item), ...more };
  });
  if (deletesToo) command.option('--yes', 'confirm');
}

async function findItem<Item>(
  session: Session,
  findable: Findable<Item>,
  options: Options,
): Promise<{ work: Work; teamId: string; item: Item }> {
  const { kind, nameOption } = findable;
  if (!nameOption) {
    const id = String(options['id']);
    const place = await session.find(kind, id);
    const item = await findable.find?.(place.work, place.teamId, id);
    if (!item) throw missing(kind, id);
    return { ...place, item };
  }
  const team = String(options['team']);
  const name = String(options[nameOption.flags.slice(2).split(' ')[0] ?? '']);
  const { work, teamId } = await session.findTeam(team);
  const items = (await findable.load?.(work, teamId)) ?? [];
  const found = items.filter((item) => item.id === name || nameOf(item) === name);
  const [item] = found;
  if (!item) throw new CommandFault(`the team ${show(team)} has no ${kind} ${show(name)}.`);
  if (found.length === 1) return { work, teamId, item };
  const ids = found.map(({ id }) => id).join(', ');
  throw new CommandFault(`several ${kind}s are named ${show(name)}; give an id: ${ids}.`);
}

export function nameOf(item: object): string {
  return 'name' in item ? String(item.name) : '';
}

export function withoutName<Thing extends object>(resource: Resource<Thing>): Resource<Thing> {
  const { name: _, ...others } = resource as Record<string, unknown>;
  return others as Resource<Thing>;
}

function readItem<Thing extends object>(
  collection: Commanded<Thing>,
  fields: Fields,
  given: Given<Partial<Thing>>,
): Partial<Thing> {
  const { resource } = collection;
  const findings = new Findings();
  const isChange = given.stored !== undefined && !collection.check;
  const item = (isChange ? takeChange : takeWhole)(resource, fields, findings, given);
  collection.check?.(item, findings);
  return accept(resource, findings.settle(item));
}

async function createItem<Thing extends object, Item extends Stored<Thing>>(
  session: Session,
  collection: Commanded<Thing, Item>,
  { team, ...options }: Options & { team: string },
): Promise<void> {
  const fields = await readOptions(session, collection.resource, options);
  readItem(collection, fields, {});
  const { teamId, work } = await session.findTeam(team);
  const wanted = readItem(collection, fields, await channelContext(work, teamId));
  session.print(await saveItem(collection, { session, work, teamId }, wanted));
}

async function editItem<Thing extends object, Item extends Stored<Thing>>(
  collection: Commanded<Thing, Item>,
  edited: Resource<Thing>,
  place: ItemPlace<Item>,
  options: Options,
): Promise<object> {
  const fields = await readOptions(place.session, edited, options);
  const context = await channelContext(place.work, place.teamId);
  const change = readItem(collection, fields, { ...context, stored: place.item });
  return saveItem(collection, place, change);
}

async function renameItem<Thing extends object, Item extends Stored<Thing>>(
  collection: Commanded<Thing, Item>,
  place: ItemPlace<Item>,
  to: string,
): Promise<object> {
  const { name } = collection.resource as unknown as Resource<{ name: string }>;
  const fields = readTopLevelFields(JSON.stringify({ name: to })) ?? new Map();
  const reading = readWhole({ name }, fields);
  if (!reading.ok)
    throw new CommandFault(`--to: ${reading.errors.flatMap(([, m]) => m).join(' ')}`);
  return saveItem(collection, place, reading.input as object as Partial<Thing>);
}

async function saveItem<Thing extends object, Item extends Stored<Thing>>(
  collection: Commanded<Thing, Item>,
  { session, work, teamId, item }: Omit<ItemPlace<Item>, 'item'> & { item?: Item },
  wanted: Partial<Thing>,
): Promise<object> {
  const warning = (await collection.warn?.(work, teamId, wanted, item)) ?? null;
  const id = await collection.save(work, teamId, wanted, item);
  const saved = collection.find
    ? await collection.find(work, teamId, id)
    : (await collection.load(work, teamId)).find((each) => each.id === id);
  if (!saved) throw missing(collection.kind, id);
  if (warning !== null) session.say(`belfry: warning: ${warning}`);
  return collection.record(saved);
}
