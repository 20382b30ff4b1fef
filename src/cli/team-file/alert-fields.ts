/** What crons and queues set about their alerts, in a file: channels by their names. */
import {
  ALERT_LEVELS,
  type AlertSettings,
  type ChannelRef,
  DEFAULT_REF,
  NO_ALERT_SETTINGS,
} from '#domain/alert-settings';
import { channelsField } from '#work/alert-settings-input';
import type { Path, Problem } from './document.ts';

type Named = { id: string; name: string };

export const ALERT_FIELDS: readonly string[] = [
  ...ALERT_LEVELS.map(channelsField),
  'alert_note',
  'runbook_url',
];

/** Those that only crons have. */
export const CRON_ALERT_FIELDS: readonly string[] = ['remind_hours'];

const ALL_FIELDS = [...ALERT_FIELDS, ...CRON_ALERT_FIELDS];

/** A channel that is gone is the default again. */
export function withNames(settings: AlertSettings, channels: readonly Named[]): AlertSettings {
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  return mapRefs(settings, (ref) => names.get(ref) ?? DEFAULT_REF);
}

/** The file's names as the ids that they have by now. */
export function withIds(settings: AlertSettings, channels: readonly Named[]): AlertSettings {
  const ids = new Map(channels.map(({ id, name }) => [name, id]));
  return mapRefs(settings, (ref) => ids.get(ref) ?? DEFAULT_REF);
}

function mapRefs(settings: AlertSettings, map: (ref: ChannelRef) => ChannelRef): AlertSettings {
  const chosen = Object.entries(settings.channels).map(([level, refs]) => [level, refs.map(map)]);
  return { ...settings, channels: Object.fromEntries(chosen) as AlertSettings['channels'] };
}

/** The fields of an item; what is as if nobody had chosen is left out. */
export function writeAlertFields(
  settings: AlertSettings,
  channels: readonly Named[],
): Record<string, unknown> {
  const named = fieldsOf(withNames(settings, channels));
  const standard = fieldsOf(NO_ALERT_SETTINGS);
  return Object.fromEntries(
    ALL_FIELDS.flatMap((field) =>
      JSON.stringify(named[field]) === JSON.stringify(standard[field])
        ? []
        : [[field, named[field]]],
    ),
  );
}

/** For `compare`: each field as it is, undefined in a new item, and as the file wants it. */
export function pairAlertFields(
  current: AlertSettings | undefined,
  wanted: AlertSettings,
  channels: readonly Named[],
): (readonly [field: string, from: unknown, to: unknown])[] {
  const from = current && fieldsOf(withNames(current, channels));
  const to = fieldsOf(wanted);
  return ALL_FIELDS.map((field) => [field, from?.[field], to[field]]);
}

function fieldsOf({
  channels,
  note,
  runbookUrl,
  remindHours,
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
  };
}

/** Names that neither the team nor the file has a channel of. */
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
