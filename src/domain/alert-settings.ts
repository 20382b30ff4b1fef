/** What a cron or a queue sets about its alerts (§6.5), beside when they are raised. */
import type { AlertLevel } from './alert-streak.ts';

/** The team's default channel, or another one by its id. */
export type ChannelRef = string;
export const DEFAULT_REF: ChannelRef = 'default';

export const ALERT_LEVELS = ['warning', 'failure', 'recovery'] as const satisfies AlertLevel[];

export interface AlertSettings {
  /** The channels that are told, by level; an empty list tells nobody. What is left out goes to the default. */
  channels: Readonly<Partial<Record<AlertLevel, readonly ChannelRef[]>>>;
  /** Stands in the notice: what to do, whom to ask. One line. */
  note: string | null;
  /** A page that tells more of it. */
  runbookUrl: string | null;
  /** After so many hours somebody is reminded that a cron still fails; null: never. */
  remindHours: RemindHours | null;
}

export const REMIND_HOURS = [1, 6, 24] as const;
export type RemindHours = (typeof REMIND_HOURS)[number];

export const NOTE_CHARACTERS = 500;

/** All as it was before anybody chose. */
export const NO_ALERT_SETTINGS: AlertSettings = {
  channels: {},
  note: null,
  runbookUrl: null,
  remindHours: null,
};

/**
 * The channels that are told of an alert, each once: a chosen one that is gone is the default again, so that what it
 * was to tell is not lost.
 *
 * @param known  the ids of the team's channels besides the default
 */
export function resolveChannels(
  { channels }: AlertSettings,
  level: AlertLevel,
  known: ReadonlySet<string>,
): ChannelRef[] {
  const chosen = channels[level] ?? [DEFAULT_REF];
  return [...new Set(chosen.map((ref) => (known.has(ref) ? ref : DEFAULT_REF)))];
}

/** As they are kept: null where all is as it was before anybody chose. */
export function writeAlertSettings(settings: AlertSettings): string | null {
  const channels = Object.entries(settings.channels).filter(([, refs]) => !isDefault(refs));
  const kept = {
    ...(channels.length > 0 && { channels: Object.fromEntries(channels) }),
    ...(settings.note !== null && { note: settings.note }),
    ...(settings.runbookUrl !== null && { runbookUrl: settings.runbookUrl }),
    ...(settings.remindHours !== null && { remindHours: settings.remindHours }),
  };
  return Object.keys(kept).length === 0 ? null : JSON.stringify(kept);
}

function isDefault(refs: readonly ChannelRef[]): boolean {
  return refs.length === 1 && refs[0] === DEFAULT_REF;
}

/** What can't be read tells the default channel, as if nobody had chosen. Never throws. */
export function readAlertSettings(text: string | null): AlertSettings {
  if (text === null) return NO_ALERT_SETTINGS;
  const kept = parse(text);
  return {
    channels: readChannels(kept['channels']),
    note: textOf(kept['note']),
    runbookUrl: textOf(kept['runbookUrl']),
    remindHours: REMIND_HOURS.find((hours) => hours === kept['remindHours']) ?? null,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

function readChannels(given: unknown): AlertSettings['channels'] {
  if (typeof given !== 'object' || given === null) return {};
  const byLevel = new Map<string, unknown>(Object.entries(given));
  const channels: Partial<Record<AlertLevel, readonly ChannelRef[]>> = {};
  for (const level of ALERT_LEVELS) {
    const refs = byLevel.get(level);
    if (Array.isArray(refs) && refs.every((ref) => typeof ref === 'string')) channels[level] = refs;
  }
  return channels;
}

function parse(text: string): Record<string, unknown> {
  try {
    const kept = JSON.parse(text) as unknown;
    return typeof kept === 'object' && kept !== null ? { ...kept } : {};
  } catch {
    return {};
  }
}
