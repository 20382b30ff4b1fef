/** The sections of a team's file: how each reads, loads and saves its items. */
import { DEFAULT_REF } from '#domain/alert-settings';
import type { AlertSource } from '#domain/maintenance';
import { CHANNEL_KINDS } from '#domain/notification-channel';
import type { QueueSettings } from '#domain/queue-settings';
import type { ChannelSettings } from '#work/channels';
import { type Fields, findGiven, type Findings } from '#work/fields';
import { CHANNEL, DEFAULT_CHANNEL_FIELDS } from '#work/resources/channel';
import { CRON, type CronExtras, type CronInput } from '#work/resources/cron';
import { QUEUE, queueName } from '#work/resources/queue';
import type { Entry, Given, Resource } from '#work/resources/resource';
import { takeWindow, WINDOW, type WindowInput } from '#work/resources/window';
import type { Work } from '#work/work';
import { acceptChannel } from '../channels.ts';
import { CommandFault } from '../fault.ts';

/** An item of a team as it is now. `isPast`: it is over, or covers nothing any more, so an export leaves it out. */
export type Current<Thing extends object = object> = Thing & { id?: string; isPast?: boolean };

export interface Section<Thing extends object> {
  /** Its name in the file. */
  key: string;
  /** The word for an item in plans. */
  kind: string;
  /** One item in place of a list. */
  isSingle?: true;
  resource: Resource<Thing>;
  /** The property that keeps its value if the file leaves it out: whether the item is paused. */
  stays?: string;
  /** If the resource has rules across fields. */
  read?(fields: Fields, findings: Findings, given: Given<Partial<Thing>>): Thing;
  load(work: Work, teamId: string): Promise<Current<Thing>[]>;
  /** @param id  undefined for a new item. Throws a CommandFault, or a fault of the store. */
  save(work: Work, teamId: string, wanted: Thing, id: string | undefined): Promise<void>;
  isSecret?(field: string): boolean;
}

function requireFound(found: object | null): void {
  if (found === null) throw new CommandFault('it was deleted meanwhile.');
}

const SECRET_FIELDS = new Set<string>(
  Object.values(CHANNEL_KINDS).flatMap(({ fields }) =>
    fields.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])),
  ),
);
const isSecret = (field: string) => SECRET_FIELDS.has(field);

const channel: Section<Omit<ChannelSettings, 'name'>> = {
  key: 'channel',
  kind: 'channel',
  isSingle: true,
  resource: DEFAULT_CHANNEL_FIELDS,
  isSecret,
  load: async (work, teamId) => {
    const { collectMinutes } = await work.readChannel(teamId);
    return [{ config: await work.readChannelConfig(teamId), collectMinutes }];
  },
  save: async (work, teamId, { config, collectMinutes }) =>
    acceptChannel(await work.setChannel(teamId, config, collectMinutes), DEFAULT_REF),
};

const channels: Section<ChannelSettings> = {
  key: 'channels',
  kind: 'named-channel',
  resource: CHANNEL,
  isSecret,
  load: (work, teamId) => work.listChannelSettings(teamId),
  save: async (work, teamId, wanted, id) => {
    const added = id === undefined && work.addChannel(teamId, wanted);
    acceptChannel(await (added || work.editChannel(teamId, String(id), wanted)), wanted.name);
  },
};

const queues: Section<QueueSettings & { name: string }> = {
  key: 'queues',
  kind: 'queue',
  resource: { name: queueName('name'), ...QUEUE },
  stays: 'isPaused',
  load: (work, teamId) => work.listQueues(teamId),
  save: async (work, teamId, { name, ...settings }) => {
    await work.setQueue(teamId, name, settings);
  },
};

const crons: Section<CronInput & CronExtras> = {
  key: 'crons',
  kind: 'cron',
  resource: CRON,
  stays: 'isActive',
  load: (work, teamId) => work.listCrons(teamId),
  save: async (work, teamId, wanted, id) => {
    const created = id === undefined && work.createCron(teamId, wanted);
    requireFound(await (created || work.editCron(teamId, String(id), wanted)));
  },
};

/** Crons and queues by their names: they may not exist yet. */
type NamedCover = 'team' | { crons: readonly string[]; queues: readonly string[] };

function readCovers(fields: Fields, findings: Findings): NamedCover {
  const given = findGiven(fields, 'covers');
  const value = given === null ? 'team' : (JSON.parse(given.raw) as unknown);
  if (value === 'team') return value;
  const members = new Map<string, unknown>(Object.entries(Object(value) as object));
  const namesIn = (field: string) => {
    const list = members.get(field) ?? [];
    const isList = Array.isArray(list) && list.every((name) => typeof name === 'string');
    if (!isList) findings.add(`covers.${field}`, 'It must be a list of names.');
    return isList ? [...new Set<string>(list)].toSorted() : [];
  };
  const covers = { crons: namesIn('crons'), queues: namesIn('queues') };
  for (const name of members.keys()) {
    if (!Object.hasOwn(covers, name))
      findings.add(`covers.${name}`, 'There is no such field; there are crons, queues.');
  }
  if (covers.crons.length + covers.queues.length === 0)
    findings.add('covers', 'It must be team, or name at least one cron or queue.');
  return covers;
}

const COVERS: Entry<NamedCover> = {
  parts: [
    {
      name: 'covers',
      kind: 'json',
      isRequired: false,
      isAlwaysWritten: true,
      schema: { type: 'object' },
    },
  ],
  initial: 'team',
  read: readCovers,
  write: (covers) => [covers],
};

const windows: Section<Omit<WindowInput, 'covers'> & { covers: NamedCover }> = {
  key: 'maintenance_windows',
  kind: 'window',
  resource: { ...WINDOW, covers: COVERS },
  read: (fields, findings) => ({
    ...takeWindow(fields, findings),
    covers: readCovers(fields, findings),
  }),
  load: async (work, teamId) => {
    const sources = await work.listAlertSources(teamId);
    return (await work.listWindows(teamId)).map(({ covers: covered, ...window }) => {
      const covers = covered === 'team' ? covered : nameSources(covered, sources);
      const isEmpty = covers !== 'team' && covers.crons.length + covers.queues.length === 0;
      return Object.assign(window, { covers, isPast: isEmpty || window.state === 'over' });
    });
  },
  save: async (work, teamId, { covers: named, ...window }, id) => {
    const covers = named === 'team' ? named : await findSources(work, teamId, named);
    const created = id === undefined && work.createWindow(teamId, { ...window, covers });
    const { kind } = await (created || work.editWindow(teamId, String(id), { ...window, covers }));
    if (kind === 'too-many') throw new CommandFault('the team has as many windows as it may have.');
    requireFound(kind === 'done' ? window : null);
  },
};

/** The names of the sources that a window covers. Deleted ones are left out. */
function nameSources(
  covered: readonly AlertSource[],
  sources: readonly (AlertSource & { name: string })[],
): NamedCover {
  const ids = new Set(covered.map(({ id }) => id));
  const named = (kind: 'cron' | 'queue') => {
    const names = sources.flatMap((each) =>
      each.kind === kind && ids.has(each.id) ? [each.name] : [],
    );
    return [...new Set(names)].toSorted();
  };
  return { crons: named('cron'), queues: named('queue') };
}

/** Looks crons and queues up when they are needed: an earlier step may have created them. */
async function findSources(
  work: Work,
  teamId: string,
  { crons: cron, queues: queue }: Exclude<NamedCover, 'team'>,
): Promise<AlertSource[]> {
  const names = { cron, queue };
  const sources = await work.listAlertSources(teamId);
  return sources.flatMap(({ kind, id, name }) => (names[kind].includes(name) ? { kind, id } : []));
}

export type AnySection = Section<object>;
/** In the order in which they are applied: items refer to items of the sections before. */
export const SECTIONS: readonly AnySection[] = [channel, channels, queues, crons, windows];
