/** Reads the alert settings from a cron's or queue's form, by the rules of `work`. */
import {
  ALERT_LEVELS,
  type AlertSettings,
  DEFAULT_REF,
  NO_ALERT_SETTINGS,
} from '#domain/alert-settings';
import { isId } from '#domain/ids';
import { readJsonField } from '#domain/json-text';
import { MOST_CHANNELS } from '#domain/notification-channel';
import { channelsField, readAlertSettings } from '#work/resources/alerts';
import { readText } from '../forms/read-form.ts';
import { buildFields, errorsOf } from '../work-forms/read-fields.ts';
import type { FieldErrors } from '../services.ts';
import { type AlertFormValues, channelsShown, noAlertFormValues } from './alert-form-values.ts';

export function readAlertForm(form: FormData): {
  formValues: AlertFormValues;
  settings: AlertSettings;
  errors: FieldErrors;
} {
  const ticked = form.has(channelsShown) ? readTicked(form) : noAlertFormValues.channels;
  const formValues: AlertFormValues = {
    channels: ticked,
    alert_note: readText(form, 'alert_note').trim(),
    runbook_url: readText(form, 'runbook_url').trim(),
    remind_hours: readText(form, 'remind_hours'),
    slow_seconds: readText(form, 'slow_seconds').trim(),
    slow_times_median: readText(form, 'slow_times_median').trim(),
  };
  const { channels: _, ...texts } = formValues;
  const lists = ALERT_LEVELS.map(
    (level) => [channelsField(level), readJsonField(JSON.stringify(ticked[level]))] as const,
  );
  const fields = buildFields(texts, Object.fromEntries(lists));
  const reading = readAlertSettings(fields, (text) =>
    isId(text) || text === DEFAULT_REF ? text : null,
  );
  if (reading.ok) return { formValues, settings: reading.input, errors: {} };
  return { formValues, settings: NO_ALERT_SETTINGS, errors: errorsOf(reading.errors) };
}

function readTicked(form: FormData): AlertFormValues['channels'] {
  const ticked = ALERT_LEVELS.map((level) => {
    const ids = form.getAll(channelsField(level)).filter((id) => typeof id === 'string');
    return [level, ids.slice(0, MOST_CHANNELS + 1)];
  });
  return Object.fromEntries(ticked) as AlertFormValues['channels'];
}
