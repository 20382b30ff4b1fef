import type { Command } from 'commander';
import { readTopLevelFields } from '#domain/json/text';
import type { Fields } from '#work/fields';
import { partsOf, type Plain, readChange, type Resource, write } from '#work/resources/resource';
import { nameOf, withoutName } from './collection-commands.ts';
import type { Commanded, Stored } from './collections.ts';
import { CommandFault } from './fault.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { addTeamOption, repeatedOption } from './options.ts';
import { channelContext, type Session } from './session.ts';
import { carryOut, compare, hideSecrets, type Step } from './steps.ts';

interface BulkOptions {
  team: string;
  where?: readonly string[];
  all?: true;
  dryRun?: true;
  addTag?: string;
  removeTag?: string;
  host?: string;
}

export function addBulkEdit<Thing extends object, Item extends Stored<Thing>>(
  session: Session,
  group: Command,
  collection: Commanded<Thing, Item>,
): void {
  const { kind, resource } = collection;
  const command = addTeamOption(
    group.command('edit-all').description(`change the given fields of many ${kind}s`),
  )
    .addOption(
      repeatedOption('--where <FIELD=VALUE>', 'only those with this value; may be repeated'),
    )
    .option('--all', `all ${kind}s of the team`)
    .option('--add-tag <TAG>', 'a tag that they get')
    .option('--remove-tag <TAG>', 'a tag that they lose')
    .option('--dry-run', 'only print the changes');
  if ('url' in resource)
    command.option('--host <OLD=NEW>', 'another host in their URLs and callback URLs');
  addFieldOptions(command, withoutName(resource)).action((options: BulkOptions & Options) =>
    editAll(session, collection, options),
  );
}

async function editAll<Thing extends object, Item extends Stored<Thing>>(
  session: Session,
  collection: Commanded<Thing, Item>,
  options: BulkOptions & Options,
): Promise<void> {
  const { kind } = collection;
  const resource: Resource<Thing> = collection.resource;
  const { where = [], all, dryRun = false } = options;
  const filters = where.map((text) => readFilter(resource, text));
  const moved = options.host === undefined ? null : readHosts(options.host);
  if (filters.length === 0 && !moved && !all)
    throw new CommandFault(`say which ${kind}s to change: --where, or --all.`);
  const fields = await readOptions(session, withoutName(resource), options);
  accept(resource, readChange(resource, fields));
  if (fields.size === 0 && !moved && !options.addTag && !options.removeTag)
    throw new CommandFault('give the values that change, such as --timeout 60.');
  const { teamId, work } = await session.findTeam(options.team);
  const context = await channelContext(work, teamId);
  const items = await collection.load(work, teamId);
  const steps = items.flatMap((item): Step[] => {
    const before = write<Thing>(resource, item, context);
    if (!filters.every((isMatch) => isMatch(before))) return [];
    const own = new Map([...fields, ...ownFields(before, options, moved)]);
    const change = accept(resource, readChange(resource, own, { ...context, stored: item }));
    const changes = compare(
      partsOf(resource),
      before,
      write<Thing>(resource, { ...item, ...change }, context),
    );
    if (changes.length === 0) return [];
    const shown = hideSecrets(changes, work.isSecretHeader);
    const apply = () => collection.save(work, teamId, change, item);
    return [{ action: 'change', kind, name: nameOf(item), changes: shown, apply }];
  });
  const unchanged = items.length - steps.length;
  const again = 'Run the command again to go on.';
  await carryOut(session, { work, teamId }, steps, {
    dryRun,
    unchanged,
    items: `the team's ${kind}s`,
    again,
  });
}

type Written = ReadonlyMap<string, Plain>;

function ownFields(
  before: Written,
  { addTag, removeTag }: BulkOptions,
  moved: ((url: string) => string) | null,
): Fields {
  const own: Record<string, unknown> = {};
  const tags = before.get('tags');
  if (Array.isArray(tags) && (addTag !== undefined || removeTag !== undefined)) {
    const kept = tags.filter((tag) => tag !== removeTag?.toLowerCase());
    own['tags'] = addTag === undefined ? kept : [...kept, addTag];
  }
  for (const name of moved ? ['url', 'callback_url'] : []) {
    const url = before.get(name);
    if (typeof url === 'string' && moved) own[name] = moved(url);
  }
  return readTopLevelFields(JSON.stringify(own)) ?? new Map();
}

const COMPARED = new Set(['text', 'choice', 'integer', 'boolean', 'rate', 'words', 'channels']);

/** Reads `FIELD=VALUE`. `host`: of the URL, with or without port. */
function readFilter<Thing extends object>(
  resource: Resource<Thing>,
  text: string,
): (item: Written) => boolean {
  const [, field = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  const names = partsOf(resource).flatMap(({ name, kind }) => (COMPARED.has(kind) ? [name] : []));
  if (names.includes('url')) names.push('host');
  if (!names.includes(field))
    throw new CommandFault(`--where: It must be FIELD=VALUE. Fields are: ${names.join(', ')}.`);
  if (field === 'host')
    return (item) => hostsOf(item.get('url') as string).includes(value.toLowerCase());
  return (item) => isValue(item.get(field) ?? null, value);
}

/** Lists have the value among theirs; `none` is no value. */
function isValue(present: Plain, wanted: string): boolean {
  if (Array.isArray(present)) return present.includes(wanted);
  if (present === null) return wanted === 'none';
  return (typeof present === 'string' ? present : JSON.stringify(present)) === wanted;
}

const AUTHORITY = /^(https?:\/\/)((\[[^\]]*\]|[^:/?#\\]+)(:\d*)?)/i;

/** With its port, and without. */
function hostsOf(url: string): string[] {
  const [, , authority = '', host = ''] = AUTHORITY.exec(url) ?? [];
  return [authority.toLowerCase(), host.toLowerCase()];
}

/** Reads `OLD=NEW`. The port stays unless one of the two has one; the rest of the URL stays byte for byte. */
function readHosts(text: string): (url: string) => string {
  const [, from, to] = /^([^=\s/]+)=([^=\s/]+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new CommandFault('--host: It must be OLD=NEW, such as old.example=new.example.');
  return (url) => {
    const [authority, host] = hostsOf(url);
    const wanted = from.toLowerCase();
    if (authority === wanted) return url.replace(AUTHORITY, (_, scheme: string) => scheme + to);
    if (host !== wanted) return url;
    const keepsPort = !/:\d+$/.test(to);
    return url.replace(
      AUTHORITY,
      (_, scheme: string, _all, _host, port: string = '') => scheme + to + (keepsPort ? port : ''),
    );
  };
}
