/** The values of a cron's or queue's form for its alerts, except when an alert is raised. */
import {
  ALERT_LEVELS,
  type AlertSettings,
  DEFAULT_REF,
  NO_ALERT_SETTINGS,
} from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import type { ChannelChoice } from '../services.ts';

export type AlertFormValues = {
  /** The ids of the ticked channels. */
  channels: Record<AlertLevel, readonly string[]>;
  alert_note: string;
  runbook_url: string;
  remind_hours: string;
  slow_seconds: string;
  slow_times_median: string;
};

export const noAlertFormValues: AlertFormValues = formValuesOfAlerts(NO_ALERT_SETTINGS);

export function formValuesOfAlerts({
  channels,
  note,
  runbookUrl,
  remindHours,
  slow,
}: AlertSettings): AlertFormValues {
  const ticked = ALERT_LEVELS.map((level) => [level, channels[level] ?? [DEFAULT_REF]]);
  return {
    channels: Object.fromEntries(ticked) as AlertFormValues['channels'],
    alert_note: note ?? '',
    runbook_url: runbookUrl ?? '',
    remind_hours: remindHours === null ? '' : String(remindHours),
    slow_seconds: textOf(slow?.seconds),
    slow_times_median: textOf(slow?.timesMedian),
  };
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Replaces a channel that was deleted by the default, as happens when alerts are raised. */
export function withPresent(
  formValues: AlertFormValues,
  choices: readonly ChannelChoice[],
): AlertFormValues {
  const present = new Set(choices.map(({ id }) => id));
  const ticked = ALERT_LEVELS.map((level) => [
    level,
    [...new Set(formValues.channels[level].map((id) => (present.has(id) ? id : DEFAULT_REF)))],
  ]);
  return { ...formValues, channels: Object.fromEntries(ticked) as AlertFormValues['channels'] };
}

/** A hidden field that says that the checkboxes were on the page: an unticked box sends nothing. */
export const channelsShown = 'channels_shown';
