/** Alert settings (§6.5). */
import {
  type AlertSettings,
  chosenChannels,
  NO_ALERT_SETTINGS,
  NOTE_CHARACTERS,
  REMIND_HOURS,
} from '#domain/alerts/alert-settings';
import { CERTIFICATE_DAYS } from '#domain/http/certificate';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import { rangeOf } from '#domain/base/limits';
import { SLOW_SECONDS } from '#domain/alerts/slow-runs';
import { isName } from '../fields.ts';
import { group } from './field.ts';
import { boolean, integer, oneOf, text, url } from './kinds.ts';
import { channels } from './list-kinds.ts';
import type { Resource } from './resource.ts';

export function channelsField(level: AlertLevel): `${AlertLevel}_channels` {
  return `${level}_channels`;
}

const channelsOf = (level: AlertLevel, what: string) =>
  channels(channelsField(level), {
    option: {
      flags: `--${level}-channel <NAME>`,
      help: `a channel that is notified of ${what}, or default; may be repeated`,
      none: 'notify nobody of them',
    },
  });

const CHANNELS: Resource<AlertSettings['channels']> = {
  warning: channelsOf('warning', 'warnings'),
  failure: channelsOf('failure', 'failures'),
  recovery: channelsOf('recovery', 'recoveries'),
};

const SETTINGS: Resource<AlertSettings> = {
  note: text('alert_note', {
    most: NOTE_CHARACTERS,
    isTrimmed: true,
    rules: [isName('alert_note')],
    option: { flags: '--alert-note <TEXT>', help: 'shown in its notifications', none: 'no note' },
  }),
  runbookUrl: url('runbook_url', {
    wrong: 'The runbook must be a valid URL.',
    option: {
      flags: '--runbook-url <U>',
      help: 'a page that its notifications link to',
      none: 'no runbook',
    },
  }),
  remindHours: oneOf('remind_hours', {
    values: REMIND_HOURS,
    wrong: 'Reminders come every 1, 6 or 24 hours.',
    option: {
      flags: '--remind-hours <N>',
      help: 'notify again while it keeps failing: every 1, 6 or 24 hours',
      none: 'no reminders',
    },
  }),
  slowSeconds: integer('slow_seconds', {
    ...SLOW_SECONDS,
    outside: `Slow runs take longer than ${rangeOf(SLOW_SECONDS)} seconds.`,
    initial: null,
    option: {
      flags: '--slow-seconds <S>',
      help: `longer runs are slow, ${rangeOf(SLOW_SECONDS)}`,
      none: 'no limit',
    },
  }),
  certificates: boolean('certificate_alerts', {
    initial: NO_ALERT_SETTINGS.certificates,
    option: {
      flags: '--certificate-alerts <SWITCH>',
      help: `warn once of a target's certificate that ends within ${CERTIFICATE_DAYS} days`,
      choices: ['on', 'off'],
    },
  }),
  channels: group(CHANNELS),
};

export const ALERT_SETTINGS = group(SETTINGS, {
  // By ids; a missing level goes to the default.
  record: ({ channels, note, runbookUrl, remindHours, slowSeconds, certificates }) => ({
    alert_channels: chosenChannels(channels),
    alert_note: note,
    runbook_url: runbookUrl,
    slow_seconds: slowSeconds,
    remind_hours: remindHours,
    certificate_alerts: certificates,
  }),
  activity: ['alert settings', 'name'],
});
