import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { formatMillis } from '#domain/base/instant';
import type { AlertSource } from '#domain/team/maintenance';
import { settlePause } from '#domain/team/pause';
import { CHANNEL_KINDS } from '#domain/alerts/notification-channel';
import type { QueueSettings } from '#domain/team/queue-settings';
import type { ChannelOutcome, ChannelSettings, ListedChannel } from '#work/channels';
import type { Cron } from '#work/crons';
import { type Fields, findGiven, type Findings } from '#work/fields';
import type { Queue } from '#work/queues';
import { recordOf } from '#work/record';
import { CHANNEL, DEFAULT_CHANNEL_FIELDS } from '#work/resources/channel';
import { CRON, type CronExtras, type CronInput } from '#work/resources/cron';
import { QUEUE, queueName } from '#work/resources/queue';
import { type Entry, initialOf, type Resource, writeRecord } from '#work/resources/resource';
import { TEAM, type TeamSettings } from '#work/resources/team';
import {
  checkTimes,
  coversTooMany,
  TOO_MANY_PAUSED,
  WINDOW,
  type WindowInput,
} from '#work/resources/window';
import type { MaintenanceWindowView } from '#work/windows';
import type { Work } from '#work/work';
import { CommandFault, toOneLine } from './fault.ts';
import { refusePast } from './pauses.ts';
import { writeChannel, writeCron, writeQueue } from './records.ts';
import { show } from './session.ts';

/** `isPast`: an export leaves it out, because it is over, covers nothing or is as by default. */
export type Stored<Thing extends object = object> = Thing & { id: string; isPast?: boolean };

export interface Collection<Thing extends object, Item extends Stored<Thing> = Stored<Thing>> {
  kind: string;
  resource: Resource<Thing>;
  /** Checks rules across fields. `thing` lacks fields that were reported as wrong. */
  check?(thing: Partial<Thing>, findings: Findings): void;
  load(work: Work, teamId: string): Promise<Item[]>;
  /**
   * Throws a CommandFault, or a fault of the store. @param item undefined for a new one
   * @returns its id
   */
  save(work: Work, teamId: string, wanted: Partial<Thing>, item: Item | undefined): Promise<string>;
}

export interface Commanded<
  Thing extends object,
  Item extends Stored<Thing> = Stored<Thing>,
> extends Collection<Thing, Item> {
  /** Without it, items are named by `--id`. */
  nameOption?: { flags: string; help: string };
  columns: readonly string[];
  record(item: Item): object;
  find?(work: Work, teamId: string, id: string): Promise<Item | null>;
  /** More fields for its record. Null: no such item. */
  remove(work: Work, teamId: string, id: string): Promise<object | null>;
  /** Names the things that are deleted with it. The command then needs `--yes`. */
  deletesToo?: string;
  warn?(work: Work, teamId: string, wanted: Partial<Thing>, item?: Item): Promise<string | null>;
}

const deletedMeanwhile = () => new CommandFault('it was deleted meanwhile.');

function idOf(saved: { id: string } | null): string {
  if (saved === null) throw deletedMeanwhile();
  return saved.id;
}

export const CRONS: Commanded<CronInput & CronExtras, Cron> = {
  kind: 'cron',
  resource: CRON,
  columns: ['id', 'name', 'cron_expression', 'url', 'is_active', 'next_run_at'],
  record: writeCron,
  load: (work, teamId) => work.listCrons(teamId),
  find: (work, teamId, id) => work.findCron(teamId, id),
  save: async (work, teamId, wanted, cron) => {
    refusePast(wanted.pausedUntil, work.now());
    if (!cron) return idOf(await work.createCron(teamId, wanted as CronInput & CronExtras));
    refuseLosing(cron, wanted);
    return idOf(await work.editCron(teamId, cron.id, wanted));
  },
  remove: async (work, teamId, id) => ((await work.deleteCron(teamId, id)) ? {} : null),
  warn: async (work, teamId, wanted, cron) => {
    const same = await work.findSameCron(teamId, { ...cron, ...wanted } as CronInput, cron?.id);
    if (same === null) return null;
    return `the cron ${show(toOneLine(same.name))} (${same.id}) has the same URL and schedule.`;
  },
};

/** It would be saved as empty. */
function refuseLosing({ id, unreadable }: Cron, wanted: object): void {
  const isReplaced = ['headers', 'payload', 'assertions'].every((name) => name in wanted);
  if (unreadable === null || isReplaced) return;
  throw new CommandFault(
    `the cron ${show(id)} cannot be edited as it is: ${unreadable} Give its headers, payload and assertions anew.`,
  );
}

export const QUEUES = {
  kind: 'queue',
  resource: { name: queueName('name'), ...QUEUE },
  nameOption: { flags: '--queue <Q>', help: "the queue's name" },
  columns: ['id', 'name', 'is_paused', 'concurrency_limit', 'tags'],
  record: writeQueue,
  load: (work, teamId) => work.listQueues(teamId),
  save: async (work, teamId, { name = '', ...change }, queue) => {
    refusePast(change.pausedUntil, work.now());
    if (!queue || name === '' || name === queue.name)
      return (await work.setQueue(teamId, queue?.name ?? name, change)).id;
    if (await work.renameQueue(teamId, queue.id, name)) return queue.id;
    throw new CommandFault(`the team has a queue ${show(name)} already.`);
  },
  deletesToo: 'its jobs',
  remove: async (work, teamId, id) => {
    const jobs_deleted = await work.deleteQueue(teamId, id);
    return jobs_deleted === null ? null : { jobs_deleted };
  },
} satisfies Commanded<QueueSettings & { name: string }, Queue>;

const SECRET_FIELDS = new Set<string>(
  Object.values(CHANNEL_KINDS).flatMap(({ fields }) =>
    fields.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])),
  ),
);
const isSecret = (field: string) => SECRET_FIELDS.has(field);

type StoredChannel = ChannelSettings & ListedChannel;

export const CHANNELS: Commanded<ChannelSettings, StoredChannel> = {
  kind: 'channel',
  resource: CHANNEL,
  nameOption: { flags: '--name <N>', help: "the channel's name, or default" },
  columns: ['id', 'name', 'kind', 'collect_minutes', 'last_sent_at', 'last_error'],
  record: (channel) =>
    writeChannel({ ...channel, name: channel.id === DEFAULT_REF ? null : channel.name }),
  load: async (work, teamId) => {
    const channels = await work.listChannelSettings(teamId);
    return channels.map((channel) => {
      return Object.assign(channel, { name: channel.name ?? DEFAULT_REF });
    });
  },
  save: async (work, teamId, wanted, channel) => {
    const { name, config, collectMinutes } = { ...channel, ...wanted } as ChannelSettings;
    if (channel?.id !== DEFAULT_REF) {
      const settings = { name, config, collectMinutes };
      const added = channel === undefined && work.addChannel(teamId, settings);
      return savedId(
        await (added || work.editChannel(teamId, String(channel?.id), settings)),
        name,
      );
    }
    if (name !== DEFAULT_REF) throw new CommandFault('the default channel keeps its name.');
    return savedId(await work.setChannel(teamId, config, collectMinutes), name);
  },
  remove: async (work, teamId, id) => {
    if (id === DEFAULT_REF) throw new CommandFault('the default channel stays.');
    return (await work.deleteChannel(teamId, id)) ? {} : null;
  },
};

function savedId(outcome: ChannelOutcome, name: string): string {
  switch (outcome.kind) {
    case 'saved':
      return outcome.id;
    case 'same':
      throw new CommandFault(`it leads to the same place as ${outcome.as}.`);
    case 'too-many':
      throw new CommandFault('the team has as many channels as it may have.');
    case 'name-taken':
      throw new CommandFault(`the team has a channel ${show(name)} already.`);
    case 'not-found':
      throw deletedMeanwhile();
  }
}

/** By name: they may not exist yet. */
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
      kind: 'sources',
      isRequired: false,
      isAlwaysWritten: true,
      schema: undefined,
      option: {
        flags: '--covers <NAME>',
        help: 'what it mutes: cron:NAME or queue:NAME, may be repeated, or team (the default)',
      },
    },
  ],
  initial: 'team',
  read: readCovers,
  write: (covers) => [covers],
};

type NamedWindow = Omit<WindowInput, 'covers'> & { covers: NamedCover };
type StoredWindow = Omit<MaintenanceWindowView, 'covers'> & NamedWindow & { isPast: boolean };

export const WINDOWS: Commanded<NamedWindow, StoredWindow> = {
  kind: 'window',
  resource: { ...WINDOW, covers: COVERS },
  check: checkTimes,
  nameOption: { flags: '--name <N>', help: "the window's name, or its id" },
  columns: ['id', 'name', 'state', 'starts_at', 'ends_at', 'is_weekly', 'pauses_runs'],
  record: (window) => {
    const { id, state } = window;
    const active_until = formatMillis(window.activeUntil);
    const created = recordOf(window, ['created_at']);
    return { id, ...writeRecord(WINDOWS.resource, window), state, active_until, ...created };
  },
  load: async (work, teamId) => {
    const sources = await work.listAlertSources(teamId);
    return (await work.listWindows(teamId)).map(({ covers: covered, ...window }) => {
      const covers = covered === 'team' ? covered : nameSources(covered, sources);
      const isEmpty = covers !== 'team' && covers.crons.length + covers.queues.length === 0;
      return Object.assign(window, { covers, isPast: isEmpty || window.state === 'over' });
    });
  },
  save: async (work, teamId, wanted, window) => {
    const {
      name,
      startsAt,
      endsAt,
      isWeekly,
      pausesRuns = false,
      covers: named,
    } = { ...window, ...wanted } as NamedWindow;
    const covers = named === 'team' ? named : await findSources(work, teamId, named);
    const input = { name, startsAt, endsAt, isWeekly, pausesRuns, covers };
    if (coversTooMany(input)) throw new CommandFault(TOO_MANY_PAUSED);
    const created = window === undefined && work.createWindow(teamId, input);
    const outcome = await (created || work.editWindow(teamId, String(window?.id), input));
    if (outcome.kind === 'too-many')
      throw new CommandFault('the team has as many windows as it may have.');
    return idOf(outcome.kind === 'done' ? outcome.window : null);
  },
  remove: async (work, teamId, id) => ((await work.deleteWindow(teamId, id)) ? {} : null),
};

/** Leaves out deleted ones. */
function nameSources(
  covered: readonly AlertSource[],
  sources: readonly (AlertSource & { name: string })[],
): NamedCover & object {
  const ids = new Set(covered.map(({ id }) => id));
  const named = (kind: 'cron' | 'queue') => {
    const names = sources.flatMap((each) =>
      each.kind === kind && ids.has(each.id) ? [each.name] : [],
    );
    return [...new Set(names)].toSorted();
  };
  return { crons: named('cron'), queues: named('queue') };
}

/** When needed: an earlier step may have created them. */
async function findSources(
  work: Work,
  teamId: string,
  { crons: cron, queues: queue }: Exclude<NamedCover, 'team'>,
): Promise<AlertSource[]> {
  const sources = await work.listAlertSources(teamId);
  return Object.entries({ cron, queue }).flatMap(([kind, names]) =>
    names.flatMap((name) => {
      const found = sources.filter((each) => each.kind === kind && each.name === name);
      if (found.length === 0) throw new CommandFault(`the team has no ${kind} ${show(name)}.`);
      return found.map(({ kind: of, id }) => ({ kind: of, id }));
    }),
  );
}

export interface Section<Thing extends object> extends Collection<Thing> {
  key: string;
  /** One item instead of a list. */
  isSingle?: true;
  /** Whether the item is paused, and until when. If the file has neither, it stays. */
  stays?: readonly string[];
  /** Applies a time in the past, such as the end of a pause. */
  settle?(item: object, now: number): object;
  isSecret?(field: string): boolean;
}

const defaultChannel: Section<Omit<ChannelSettings, 'name'>> = {
  key: 'channel',
  kind: 'channel',
  isSingle: true,
  resource: DEFAULT_CHANNEL_FIELDS,
  isSecret,
  load: async (work, teamId) => (await CHANNELS.load(work, teamId)).filter(isDefault),
  save: async (work, teamId, { config, collectMinutes }) => {
    const kept = config ?? { kind: 'email' as const };
    return savedId(await work.setChannel(teamId, kept, collectMinutes), DEFAULT_REF);
  },
};

function isDefault({ id }: { id: string }): boolean {
  return id === DEFAULT_REF;
}

const namedChannels: Section<ChannelSettings> = {
  ...(CHANNELS as Commanded<ChannelSettings>),
  key: 'channels',
  kind: 'named-channel',
  isSecret,
  load: async (work, teamId) =>
    (await CHANNELS.load(work, teamId)).filter((channel) => !isDefault(channel)),
};

const teamSettings: Section<TeamSettings> = {
  key: 'settings',
  kind: 'team',
  isSingle: true,
  resource: TEAM,
  load: async (work, id) => {
    const settings = await work.readTeamSettings(id);
    return [{ id, ...settings, isPast: isDeepStrictEqual(settings, initialOf(TEAM)) }];
  },
  save: async (work, id, wanted) => {
    await work.editTeamSettings(id, wanted);
    return id;
  },
};

export type AnySection = Section<object>;
/** Items refer to items of earlier sections. */
export const SECTIONS: readonly AnySection[] = [
  teamSettings,
  defaultChannel,
  namedChannels,
  {
    ...QUEUES,
    key: 'queues',
    stays: ['isPaused', 'pausedUntil'],
    settle: (queue, now) => ({ ...queue, ...settlePause(queue as Queue, now) }),
  },
  {
    ...CRONS,
    key: 'crons',
    stays: ['isActive', 'pausedUntil'],
    settle: (item, now) => {
      const { isActive, pausedUntil: until } = item as Cron;
      const { isPaused, pausedUntil } = settlePause(
        { isPaused: !isActive, pausedUntil: until },
        now,
      );
      return { ...item, isActive: !isPaused, pausedUntil };
    },
  },
  { ...WINDOWS, key: 'maintenance_windows' },
];
