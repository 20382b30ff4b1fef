import type { AlertLevel } from './alert-streak.ts';
import { readStoredObject } from '../json/stored-object.ts';

/** The team's default channel, or another one by its id. */
export type ChannelRef = string;
export const DEFAULT_REF: ChannelRef = 'default';

export const ALERT_LEVELS = ['warning', 'failure', 'recovery'] as const satisfies AlertLevel[];

export interface AlertSettings {
  /** By level. An empty list notifies no channel. */
  channels: Readonly<Record<AlertLevel, readonly ChannelRef[]>>;
  note: string | null;
  runbookUrl: string | null;
  remindHours: RemindHours | null;
  /** Longer runs are slow. */
  slowSeconds: number | null;
  certificates: boolean;
}

export const REMIND_HOURS = [1, 6, 24] as const;
export type RemindHours = (typeof REMIND_HOURS)[number];

export const NOTE_CHARACTERS = 500;

export const NO_ALERT_SETTINGS: AlertSettings = {
  channels: { warning: [DEFAULT_REF], failure: [DEFAULT_REF], recovery: [DEFAULT_REF] },
  note: null,
  runbookUrl: null,
  remindHours: null,
  slowSeconds: null,
  certificates: false,
};

/**
 * Each once. The default replaces a deleted channel, so that no alert is lost.
 * @param known the ids of the team's channels, without the default
 */
export function resolveChannels(
  { channels }: AlertSettings,
  level: AlertLevel,
  known: ReadonlySet<string>,
): ChannelRef[] {
  return [...new Set(channels[level].map((ref) => (known.has(ref) ? ref : DEFAULT_REF)))];
}

export function notifiesNobody({ channels }: AlertSettings, level: AlertLevel): boolean {
  return channels[level].length === 0;
}

/** JSON for the database, without `slowSeconds`; null for the defaults. */
export function writeAlertSettings(settings: AlertSettings): string | null {
  const text = writeAll(settings);
  return text === writeAll(NO_ALERT_SETTINGS) ? null : text;
}

function writeAll({ channels, note, runbookUrl, remindHours, certificates }: AlertSettings) {
  return JSON.stringify({ channels, note, runbookUrl, remindHours, certificates });
}

/** Without the levels whose only channel is the default. */
export function chosenChannels(channels: AlertSettings['channels']) {
  const isDefault = (refs: readonly ChannelRef[]) => refs.length === 1 && refs[0] === DEFAULT_REF;
  return Object.fromEntries(Object.entries(channels).filter(([, refs]) => !isDefault(refs)));
}

/**
 * Unreadable settings count as not set, so alerts go to the default channel.
 * @param slowSeconds is stored separately; not needed to notify
 */
export function readAlertSettings(
  text: string | null,
  slowSeconds: number | null = null,
): AlertSettings {
  const kept = readStoredObject<AlertSettings>(text);
  return {
    ...NO_ALERT_SETTINGS,
    ...kept,
    channels: { ...NO_ALERT_SETTINGS.channels, ...kept.channels },
    slowSeconds,
  };
}
