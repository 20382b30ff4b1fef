/** The alert settings of crons and queues in a team's file, where channels go by their names. */
import {
  ALERT_LEVELS,
  type AlertSettings,
  type ChannelRef,
  DEFAULT_REF,
  NO_ALERT_SETTINGS,
} from '#domain/alert-settings';
import { channelsField } from '#work/resources/alerts';
import type { Path, Problem } from './document.ts';

type Named = { id: string; name: string };

export const ALERT_FIELDS: readonly string[] = [
  ...ALERT_LEVELS.map(channelsField),
  'alert_note',
  'runbook_url',
  'slow_seconds',
  'slow_times_median',
  'remind_hours',
];

/** Replaces the ids of channels by their names. A channel that was deleted becomes the default one. */
export function withNames(settings: AlertSettings, channels: readonly Named[]): AlertSettings {
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  return mapRefs(settings, (ref) => names.get(ref) ?? DEFAULT_REF);
}

/** Replaces the names of channels in the file by their present ids. */
export function withIds(settings: AlertSettings, channels: readonly Named[]): AlertSettings {
  const ids = new Map(channels.map(({ id, name }) => [name, id]));
  return mapRefs(settings, (ref) => ids.get(ref) ?? DEFAULT_REF);
}

function mapRefs(settings: AlertSettings, map: (ref: ChannelRef) => ChannelRef): AlertSettings {
  const chosen = Object.entries(settings.channels).map(([level, refs]) => [level, refs.map(map)]);
  return { ...settings, channels: Object.fromEntries(chosen) as AlertSettings['channels'] };
}

/** The fields of an item. Fields at their default are left out. */
export function writeAlertFields(
  settings: AlertSettings,
  channels: readonly Named[],
): Record<string, unknown> {
  const named = fieldsOf(withNames(settings, channels));
  const standard = fieldsOf(NO_ALERT_SETTINGS);
  return Object.fromEntries(
    ALERT_FIELDS.flatMap((field) =>
      JSON.stringify(named[field]) === JSON.stringify(standard[field])
        ? []
        : [[field, named[field]]],
    ),
  );
}

/** Pairs of fields for `compare`: the present value, undefined for a new item, and the one in the file. */
export function pairAlertFields(
  current: AlertSettings | undefined,
  wanted: AlertSettings,
  channels: readonly Named[],
): (readonly [field: string, from: unknown, to: unknown])[] {
  const from = current && fieldsOf(withNames(current, channels));
  const to = fieldsOf(wanted);
  return ALERT_FIELDS.map((field) => [field, from?.[field], to[field]]);
}

function fieldsOf({
  channels,
  note,
  runbookUrl,
  remindHours,
  slow,
}: AlertSettings): Record<string, unknown> {
  const told = ALERT_LEVELS.map((level) => [
    channelsField(level),
    (channels[level] ?? [DEFAULT_REF]).toSorted(),
  ]);
  return {
    ...Object.fromEntries(told),
    alert_note: note,
    runbook_url: runbookUrl,
    remind_hours: remindHours,
    slow_seconds: slow?.seconds ?? null,
    slow_times_median: slow?.timesMedian ?? null,
  };
}

/** Reports each channel name that is neither in the team nor in the file. */
export function findUnknownChannels(
  { channels }: AlertSettings,
  path: Path,
  known: ReadonlySet<string>,
): Problem[] {
  return ALERT_LEVELS.flatMap((level) =>
    (channels[level] ?? []).flatMap((name, at) =>
      name === DEFAULT_REF || known.has(name)
        ? []
        : [
            {
              path: [...path, channelsField(level), at],
              message: 'Neither the team nor the file has a channel of this name.',
            },
          ],
    ),
  );
}
