import type { AlertSettings } from '#domain/alert-settings';
import { NO_ALERT_SETTINGS } from '#domain/alert-settings';
import type { Assertion } from '#domain/assertion';
import { parseAssertions } from '#domain/assertions';
import { CHANNEL_KINDS, DEFAULT_CHANNEL } from '#domain/notification-channel';
import { readAlertSettings } from '#work/resources/alerts';
import { readDefaultChannelInput, readNamedChannelInput } from '#work/resources/channel';
import type { ChannelSettings } from '#work/channels';
import { CRON, type CronInput, readCronInput } from '#work/resources/cron';
import { type CronEnd, NO_END } from '#domain/cron-end';
import { readCronEnd } from '#work/resources/cron';
import type { Reading } from '#work/fields';
import { readQueueChange, readQueueName } from '#work/resources/queue';
import { DEFAULT_QUEUE_SETTINGS } from '#domain/queue-settings';
import { readWhole } from '#work/resources/resource';
import { readWindowInput } from '#work/resources/window';
import { fieldsOf } from '../readings.ts';
import { ALERT_FIELDS } from './alert-fields.ts';
import { type Mapping, membersOf, type Path, type Problem, showPath } from './document.ts';
import { type TeamDocument, toJson, type Value } from './document.ts';

export const FILE_VERSION = 1;

type QueueSettings = typeof DEFAULT_QUEUE_SETTINGS;

/** `isPaused` left out of the file leaves the queue as it is. */
export interface WantedQueue extends Omit<QueueSettings, 'isPaused'> {
  name: string;
  isPaused: boolean | null;
}

/** `isActive` left out of the file leaves the cron as it is. */
export interface WantedCron {
  input: Omit<CronInput, 'isActive'>;
  isActive: boolean | null;
  assertions: readonly Assertion[];
  /** Channels are given by name, also in a queue's settings: they may not exist yet. */
  alertSettings: AlertSettings;
  tags: readonly string[];
  end: CronEnd;
  /** The paths of fields whose values came from the environment: `url`, `headers.Authorization`. */
  secrets: ReadonlySet<string>;
}

/** Crons and queues are given by name: they may not exist yet. */
export type WantedCover = 'team' | { crons: readonly string[]; queues: readonly string[] };

export interface WantedWindow {
  name: string;
  startsAt: number;
  endsAt: number;
  isWeekly: boolean;
  covers: WantedCover;
}

/** The wanted state of a team. Items that the file does not name stay as they are. */
export interface WantedTeam {
  channel: Omit<ChannelSettings, 'name'> | null;
  channels: readonly ChannelSettings[];
  queues: readonly WantedQueue[];
  crons: readonly WantedCron[];
  windows: readonly WantedWindow[];
}

const SECTIONS = ['version', 'channel', 'channels', 'queues', 'crons', 'maintenance_windows'];
const CHANNEL_FIELDS = [
  'kind',
  'collect_minutes',
  ...new Set(Object.values(CHANNEL_KINDS).flatMap(({ fields }) => fields.map(({ name }) => name))),
];
const QUEUE_FIELDS = [
  'name',
  'timeout_seconds',
  'retries_enabled',
  'retry_schedule',
  'concurrency_limit',
  'rate',
  'assertions',
  'email_alerts',
  'dead_letter_days',
  'is_paused',
  'tags',
  ...ALERT_FIELDS,
];
const CRON_FIELDS = [
  'name',
  'url',
  'cron_expression',
  'method',
  'headers',
  'payload',
  'callback_url',
  'timeout_seconds',
  'alert_threshold',
  'assertions',
  'is_active',
  'ends_at',
  'max_runs',
  'tags',
  ...ALERT_FIELDS,
];
const WINDOW_FIELDS = ['name', 'starts_at', 'ends_at', 'is_weekly', 'covers'];

/** Reads every part by the rules of work, and reports all problems. Never throws. */
export function readTeam(document: TeamDocument): { team: WantedTeam; problems: Problem[] } {
  const reader = new TeamReader(document);
  const team = reader.read();
  return { team, problems: reader.problems };
}

class TeamReader {
  readonly problems: Problem[] = [];
  readonly #document: TeamDocument;

  constructor(document: TeamDocument) {
    this.#document = document;
  }

  read(): WantedTeam {
    const root = this.#mapping(this.#document.root, [], SECTIONS);
    if (root.get('version') !== FILE_VERSION) {
      this.#add(['version'], `It must be ${FILE_VERSION}, the version of files that is read here.`);
    }
    const channel = root.get('channel') ?? null;
    return {
      channel: channel === null ? null : this.#readChannel(channel),
      channels: this.#readList(root, 'channels', (item, path) => this.#readNamed(item, path)),
      queues: this.#readList(root, 'queues', (item, path) => this.#readQueue(item, path)),
      crons: this.#readList(root, 'crons', (item, path) => this.#readCron(item, path)),
      windows: this.#readList(root, 'maintenance_windows', (item, path) =>
        this.#readWindow(item, path),
      ),
    };
  }

  #readChannel(value: Value): Omit<ChannelSettings, 'name'> {
    const path = ['channel'];
    const mapping = this.#mapping(value, path, CHANNEL_FIELDS);
    const reading = readDefaultChannelInput(fieldsOf(membersOf(mapping)), DEFAULT_CHANNEL);
    return this.#take(reading, path, { config: { kind: 'email' }, collectMinutes: null });
  }

  #readNamed(value: Value, path: Path): ChannelSettings {
    const mapping = this.#mapping(value, path, ['name', ...CHANNEL_FIELDS]);
    const reading = readNamedChannelInput(fieldsOf(membersOf(mapping)), DEFAULT_CHANNEL);
    return this.#take(reading, path, {
      name: '',
      config: { kind: 'email' },
      collectMinutes: null,
    });
  }

  #readAlerts(mapping: Mapping, path: Path): AlertSettings {
    const reading = readAlertSettings(fieldsOf(membersOf(mapping)), (name) => name);
    return this.#take(reading, path, NO_ALERT_SETTINGS);
  }

  #readQueue(value: Value, path: Path): WantedQueue {
    const mapping = this.#mapping(value, path, QUEUE_FIELDS);
    const members = membersOf(mapping);
    const name = this.#take(
      readQueueName(fieldsOf({ queue: members['name'] ?? 'null' })),
      path,
      '',
      { queue: 'name' },
    );
    const change = this.#take(readQueueChange(fieldsOf(members)), path, {});
    const isPaused = change.isPaused ?? null;
    const alertSettings = this.#readAlerts(mapping, path);
    return { ...DEFAULT_QUEUE_SETTINGS, ...change, name, isPaused, alertSettings };
  }

  #readCron(value: Value, path: Path): WantedCron {
    const mapping = this.#mapping(value, path, CRON_FIELDS);
    const { isActive, ...input } = this.#take(
      readCronInput(fieldsOf(membersOf(mapping))),
      path,
      NO_CRON,
    );
    const from = showPath(path);
    const secrets = [...this.#document.secretPaths]
      .filter((secret) => secret.startsWith(`${from}.`))
      .map((secret) => secret.slice(from.length + 1));
    return {
      input,
      isActive: (mapping.get('is_active') ?? null) === null ? null : isActive,
      assertions: this.#readAssertions(mapping, path),
      alertSettings: this.#readAlerts(mapping, path),
      ...this.#take(readWhole({ tags: CRON.tags }, fieldsOf(membersOf(mapping))), path, {
        tags: [],
      }),
      end: this.#take(readCronEnd(fieldsOf(membersOf(mapping))), path, NO_END),
      secrets: new Set(secrets),
    };
  }

  #readAssertions(mapping: Mapping, path: Path): readonly Assertion[] {
    const given = mapping.get('assertions') ?? [];
    const assertions = parseAssertions(JSON.parse(toJson(given)) as unknown);
    if (!('error' in assertions)) return assertions;
    this.#add([...path, 'assertions'], assertions.error);
    return [];
  }

  #readWindow(value: Value, path: Path): WantedWindow {
    const mapping = this.#mapping(value, path, WINDOW_FIELDS);
    const { covers: _, ...members } = membersOf(mapping);
    const none = { name: '', startsAt: 0, endsAt: 0, isWeekly: false, covers: 'team' as const };
    const { name, startsAt, endsAt, isWeekly } = this.#take(
      readWindowInput(fieldsOf(members)),
      path,
      none,
    );
    const covers = this.#readCover(mapping.get('covers') ?? 'team', [...path, 'covers']);
    return { name, startsAt, endsAt, isWeekly, covers };
  }

  #readCover(value: Value, path: Path): WantedCover {
    if (value === 'team') return 'team';
    const mapping = this.#mapping(value, path, ['crons', 'queues']);
    const names = (field: string) => {
      const list = mapping.get(field) ?? [];
      if (Array.isArray(list) && list.every((name) => typeof name === 'string')) return list;
      this.#add([...path, field], 'It must be a list of names.');
      return [];
    };
    const covers = { crons: names('crons'), queues: names('queues') };
    if (covers.crons.length + covers.queues.length === 0) {
      this.#add(path, 'It must be team, or name at least one cron or queue.');
    }
    return covers;
  }

  /** Reads the items of a list. Names must be distinct, because a later file finds items by their names. */
  #readList<Item>(root: Mapping, field: string, read: (item: Value, path: Path) => Item): Item[] {
    const list = root.get(field) ?? [];
    if (!Array.isArray(list)) {
      this.#add([field], 'It must be a list.');
      return [];
    }
    const firstAt = new Map<Value, number>();
    for (const [at, item] of list.entries()) {
      const name = item instanceof Map ? item.get('name') : undefined;
      if (typeof name !== 'string') continue;
      const before = firstAt.get(name);
      if (before === undefined) firstAt.set(name, at);
      else this.#add([field, at, 'name'], `It is the name of ${field}[${before}] too.`);
    }
    return list.map((item, at) => read(item, [field, at]));
  }

  /** Checks that a mapping has only known fields: a misspelt one would silently leave a field at its default. */
  #mapping(value: Value, path: Path, known: readonly string[]): Mapping {
    if (!(value instanceof Map)) {
      this.#add(path, `It must have fields: ${known.join(', ')}.`);
      return new Map();
    }
    for (const field of value.keys()) {
      if (known.includes(field)) continue;
      this.#add([...path, field], `There is no such field; there are ${known.join(', ')}.`);
    }
    return value;
  }

  #take<Input>(
    reading: Reading<Input>,
    path: Path,
    otherwise: Input,
    names: Record<string, string> = {},
  ): Input {
    if (reading.ok) return reading.input;
    for (const [field, messages] of reading.errors) {
      // A header's name may hold dots.
      const [, top = field, rest] = /^(headers)\.(.*)$/s.exec(field) ?? [];
      const steps = rest === undefined ? [names[field] ?? field] : [top, rest];
      for (const message of messages) this.#add([...path, ...steps], message);
    }
    return otherwise;
  }

  #add(path: Path, message: string): void {
    this.problems.push({ path, message });
  }
}

/** Placeholder for a cron that can't be read. A file with any problem is not applied. */
const NO_CRON: CronInput = {
  name: '',
  url: '',
  cronExpression: '',
  method: 'GET',
  headers: [],
  payload: null,
  callbackUrl: null,
  timeoutSeconds: 30,
  alertThreshold: null,
  isActive: true,
};
