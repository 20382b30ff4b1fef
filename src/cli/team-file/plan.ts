import { type ChannelField, fieldsOfKind, valueOf } from '#domain/notification-channel';
import { formatUtcMinute } from '#domain/instant';
import type { IsSecretHeader } from '#domain/secret-headers';
import { formatRate } from '#domain/rate';
import { formatRetrySchedule } from '#domain/retry-schedule';
import type { ChannelSettings } from '#work/channels';
import type { Cron } from '#work/crons';
import type { Queue } from '#work/queues';
import type { MaintenanceWindowView } from '#work/windows';
import { findUnknownChannels, pairAlertFields } from './alert-fields.ts';
import type { Path, Problem } from './document.ts';
import type { WantedCover, WantedCron, WantedQueue, WantedTeam, WantedWindow } from './read.ts';

/** The present state of a team. */
export interface TeamState {
  channel: Omit<ChannelSettings, 'name'>;
  channels: readonly (ChannelSettings & { id: string })[];
  queues: readonly Queue[];
  crons: readonly Cron[];
  windows: readonly MaintenanceWindowView[];
}

/** One field whose value differs from the file's. Secrets are replaced by `(secret)`. */
export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

/** The change that one item of the file needs. */
export type Step = {
  name: string;
  action: 'create' | 'change';
  changes: readonly FieldChange[];
} & (
  | { kind: 'channel'; wanted: Omit<ChannelSettings, 'name'> }
  /** `id`: null for one that is to be made. */
  | { kind: 'named-channel'; wanted: ChannelSettings; id: string | null }
  | { kind: 'queue'; wanted: WantedQueue }
  /** `id`: null for one that is to be made. */
  | { kind: 'cron'; wanted: WantedCron; id: string | null }
  | { kind: 'window'; wanted: WantedWindow; id: string | null }
);

export interface Plan {
  steps: readonly Step[];
  /** How many items of the file need no change. */
  unchanged: number;
}

const HIDDEN = '(secret)';

/** Plans the changes that make the team match the file. Planned again after they are applied, there are none. */
export function planTeam(
  wanted: WantedTeam,
  state: TeamState,
  isSecretHeader: IsSecretHeader,
): { plan: Plan; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const channels = new Set([...namesOf(wanted.channels), ...namesOf(state.channels)]);
  const steps = [
    ...(wanted.channel ? planChannel(wanted.channel, state.channel) : []),
    ...wanted.channels.flatMap((channel) => planNamedChannel(channel, state)),
    ...wanted.queues.flatMap((queue, at) => {
      problems.push(...findUnknownChannels(queue.alertSettings, ['queues', at], channels));
      return planQueue(queue, state);
    }),
    ...wanted.crons.flatMap((cron, at) => {
      problems.push(...findUnknownChannels(cron.alertSettings, ['crons', at], channels));
      const found = findOnly(state.crons, cron.input.name, ['crons', at, 'name'], problems);
      return planCron(cron, found, state, isSecretHeader);
    }),
    ...wanted.windows.flatMap((window, at) => {
      const path = ['maintenance_windows', at];
      problems.push(...findStrangers(window.covers, path, wanted, state));
      const found = findOnly(state.windows, window.name, [...path, 'name'], problems);
      return planWindow(window, found, state);
    }),
  ];
  const { queues, crons, windows } = wanted;
  const lists = [wanted.channels, queues, crons, windows];
  const items = (wanted.channel ? 1 : 0) + lists.reduce((sum, { length }) => sum + length, 0);
  return { plan: { steps, unchanged: items - steps.length }, problems };
}

/** The item of that name. Names of crons and windows need not be unique, so several of one name are a problem here. */
function findOnly<Item extends { name: string }>(
  items: readonly Item[],
  name: string,
  path: Path,
  problems: Problem[],
): Item | null {
  const found = items.filter((item) => item.name === name);
  if (found.length > 1) {
    const message = `The team has ${found.length} of this name; rename or delete the others first.`;
    problems.push({ path, message });
  }
  return found[0] ?? null;
}

function findStrangers(
  covers: WantedCover,
  path: Path,
  wanted: WantedTeam,
  state: TeamState,
): Problem[] {
  if (covers === 'team') return [];
  const known = {
    crons: new Set([...wanted.crons.map(({ input }) => input.name), ...namesOf(state.crons)]),
    queues: new Set([...namesOf(wanted.queues), ...namesOf(state.queues)]),
  };
  return (['crons', 'queues'] as const).flatMap((field) =>
    covers[field].flatMap((name, at) =>
      known[field].has(name)
        ? []
        : [
            {
              path: [...path, 'covers', field, at],
              message: 'Neither the team nor the file has one of this name.',
            },
          ],
    ),
  );
}

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

type Reached = Omit<ChannelSettings, 'name'>;

function planChannel(wanted: Reached, current: Reached): Step[] {
  const changes = compareChannels(current, wanted);
  return stepIfAny({ kind: 'channel', name: wanted.config.kind, wanted }, changes, true);
}

function planNamedChannel(wanted: ChannelSettings, state: TeamState): Step[] {
  const current = state.channels.find(({ name }) => name === wanted.name);
  const changes = compareChannels(current, wanted);
  const { name } = wanted;
  const step = { kind: 'named-channel', name, wanted, id: current?.id ?? null } as const;
  return stepIfAny(step, changes, current !== undefined);
}

/** Compares the fields of channels. Fields that are secret are hidden. */
function compareChannels(
  { config: current, collectMinutes }: Partial<Reached> = {},
  { config: wanted, collectMinutes: wantedMinutes }: Reached,
): FieldChange[] {
  const fields = new Map<string, ChannelField>();
  for (const { kind } of [current ?? wanted, wanted]) {
    for (const field of fieldsOfKind(kind)) fields.set(field.name, field);
  }
  const changes = compare([
    ['kind', current?.kind, wanted.kind],
    ['collect_minutes', collectMinutes, wantedMinutes],
  ]);
  for (const [name, field] of fields) {
    const [from, to] = [current ? valueOf(current, field) : null, valueOf(wanted, field)];
    if (from === to) continue;
    changes.push(
      field.isSecret ? { field: name, from: hide(from), to: hide(to) } : { field: name, from, to },
    );
  }
  return changes;
}

const hide = (text: string | null) => (text === null ? null : HIDDEN);

function planQueue(wanted: WantedQueue, state: TeamState): Step[] {
  const current = state.queues.find(({ name }) => name === wanted.name);
  const isPaused = wanted.isPaused ?? current?.isPaused ?? false;
  const changes = compare([
    ['timeout_seconds', current?.timeoutSeconds, wanted.timeoutSeconds],
    ['retries_enabled', current?.retriesEnabled, wanted.retriesEnabled],
    [
      'retry_schedule',
      current && formatRetrySchedule(current.retrySchedule),
      formatRetrySchedule(wanted.retrySchedule),
    ],
    ['concurrency_limit', current?.concurrencyLimit, wanted.concurrencyLimit],
    ['rate', current?.rate && formatRate(current.rate), wanted.rate && formatRate(wanted.rate)],
    ['assertions', current?.assertions, wanted.assertions],
    ['email_alerts', current?.emailAlerts, wanted.emailAlerts],
    ['dead_letter_days', current?.deadLetterDays, wanted.deadLetterDays],
    ['is_paused', current?.isPaused, isPaused],
    ['tags', current?.tags ?? [], wanted.tags],
    ...pairAlertFields(current?.alertSettings, wanted.alertSettings, state.channels),
  ]);
  return stepIfAny({ kind: 'queue', name: wanted.name, wanted }, changes, current !== undefined);
}

function planCron(
  wanted: WantedCron,
  current: Cron | null,
  state: TeamState,
  isSecret: IsSecretHeader,
): Step[] {
  const { input, secrets } = wanted;
  const isActive = wanted.isActive ?? current?.isActive ?? true;
  const changes = compare([
    ['url', current?.url, input.url],
    ['cron_expression', current?.cronExpression, input.cronExpression],
    ['method', current?.method, input.method],
    ['payload', current?.payload, input.payload],
    ['callback_url', current?.callbackUrl, input.callbackUrl],
    ['timeout_seconds', current?.timeoutSeconds, input.timeoutSeconds],
    ['alert_threshold', current?.alertThreshold, input.alertThreshold],
    ['assertions', current?.assertions, wanted.assertions],
    ['is_active', current?.isActive, isActive],
    ['ends_at', textOf(current?.end.endsAt), textOf(wanted.end.endsAt)],
    ['max_runs', current?.end.maxRuns, wanted.end.maxRuns],
    ['tags', current?.tags ?? [], wanted.tags],
    ...pairAlertFields(current?.alertSettings, wanted.alertSettings, state.channels),
  ]);
  const shown = [...changes, ...compareHeaders(current?.headers ?? [], input.headers)].map(
    (change) => {
      const header = /^headers\.(.*)$/s.exec(change.field)?.[1];
      const isHidden = secrets.has(change.field) || (header !== undefined && isSecret(header));
      if (!isHidden) return change;
      const { field, from, to } = change;
      return { field, from: from === null ? null : HIDDEN, to: to === null ? null : HIDDEN };
    },
  );
  const step = { kind: 'cron', name: input.name, wanted, id: current?.id ?? null } as const;
  return stepIfAny(step, shown, current !== null);
}

/** Undefined of a cron that is not there yet. */
function textOf(at: number | null | undefined): string | null | undefined {
  return at === null || at === undefined ? at : formatUtcMinute(at);
}

type Headers = readonly (readonly [name: string, value: string])[];

function compareHeaders(from: Headers, to: Headers): FieldChange[] {
  if (isSame(from, to)) return [];
  const [before, after] = [new Map(from), new Map(to)];
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) =>
    compare([[`headers.${name}`, before.get(name) ?? null, after.get(name) ?? null]]),
  );
  // Only the order differs, and headers are sent in order.
  if (changes.length === 0) {
    return [{ field: 'headers', from: [...before.keys()], to: [...after.keys()] }];
  }
  return changes;
}

function planWindow(
  wanted: WantedWindow,
  current: MaintenanceWindowView | null,
  state: TeamState,
): Step[] {
  const changes = compare([
    ['starts_at', current && writeTime(current.startsAt), writeTime(wanted.startsAt)],
    ['ends_at', current && writeTime(current.endsAt), writeTime(wanted.endsAt)],
    ['is_weekly', current?.isWeekly, wanted.isWeekly],
    ['covers', current && sorted(coverOf(current, state)), sorted(wanted.covers)],
  ]);
  const step = { kind: 'window', name: wanted.name, wanted, id: current?.id ?? null } as const;
  return stepIfAny(step, changes, current !== null);
}

/** The names of what a window covers. Deleted crons and queues are left out. */
export function coverOf({ covers }: MaintenanceWindowView, state: TeamState): WantedCover {
  if (covers === 'team') return 'team';
  const named = (kind: 'cron' | 'queue', items: readonly { id: string; name: string }[]) => {
    const names = new Map(items.map(({ id, name }) => [id, name]));
    return covers.flatMap((source) => (source.kind === kind ? (names.get(source.id) ?? []) : []));
  };
  return { crons: named('cron', state.crons), queues: named('queue', state.queues) };
}

function sorted(covers: WantedCover): WantedCover {
  if (covers === 'team') return covers;
  const inOrder = (names: readonly string[]) => [...new Set(names)].toSorted();
  return { crons: inOrder(covers.crons), queues: inOrder(covers.queues) };
}

/** A time to the second, as files write it: `2026-11-21T22:00:00Z`. */
export function writeTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The fields that differ. An undefined present value counts as null. */
function compare(
  fields: readonly (readonly [field: string, from: unknown, to: unknown])[],
): FieldChange[] {
  return fields.flatMap(([field, from = null, to]) =>
    isSame(from, to) ? [] : [{ field, from, to }],
  );
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

type Unfinished = Step extends infer Each ? Omit<Each & Step, 'action' | 'changes'> : never;

/** Makes a step if there are changes, or if the item is new, even with all fields at their defaults. */
function stepIfAny(step: Unfinished, changes: readonly FieldChange[], exists: boolean): Step[] {
  if (exists && changes.length === 0) return [];
  return [{ ...step, action: exists ? 'change' : 'create', changes } as Step];
}
