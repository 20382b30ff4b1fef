/** Alert settings (§6.5). */
import {
  type AlertSettings,
  DEFAULT_REF,
  NO_ALERT_SETTINGS,
  NOTE_CHARACTERS,
  REMIND_HOURS,
} from '#domain/alerts/alert-settings';
import type { ChannelRef, RemindHours } from '#domain/alerts/alert-settings';
import { CERTIFICATE_DAYS } from '#domain/http/certificate';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import { rangeOf } from '#domain/base/limits';
import { SLOW_RANGES } from '#domain/alerts/slow-runs';
import { isName } from '../fields.ts';
import { group } from './field.ts';
import { boolean, integer, oneOf, text, url } from './kinds.ts';
import { channels } from './list-kinds.ts';
import type { Resource } from './resource.ts';

interface AlertParts {
  note: string | null;
  runbookUrl: string | null;
  remindHours: RemindHours | null;
  slowSeconds: number | null;
  slowTimes: number | null;
  certificates: boolean;
  warning: readonly ChannelRef[];
  failure: readonly ChannelRef[];
  recovery: readonly ChannelRef[];
}

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

const PARTS: Resource<AlertParts> = {
  note: text('alert_note', {
    most: NOTE_CHARACTERS,
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
    ...SLOW_RANGES.seconds,
    outside: `Slow runs take longer than ${rangeOf(SLOW_RANGES.seconds)} seconds.`,
    initial: null,
    option: {
      flags: '--slow-seconds <S>',
      help: `longer runs are slow, ${rangeOf(SLOW_RANGES.seconds)}`,
      none: 'not by seconds',
    },
  }),
  slowTimes: integer('slow_times_median', {
    ...SLOW_RANGES.timesMedian,
    outside: `Slow runs take longer than ${rangeOf(SLOW_RANGES.timesMedian)} times the median.`,
    initial: null,
    option: {
      flags: '--slow-times-median <N>',
      help: `so are runs of so many times the median, ${rangeOf(SLOW_RANGES.timesMedian)}`,
      none: 'not by the median',
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
  warning: channelsOf('warning', 'warnings'),
  failure: channelsOf('failure', 'failures'),
  recovery: channelsOf('recovery', 'recoveries'),
};

export const ALERT_SETTINGS = group<AlertParts, AlertSettings>(PARTS, {
  join: ({ note, runbookUrl, remindHours, slowSeconds, slowTimes, certificates, ...refs }) => {
    const isSlowSet = slowSeconds !== null || slowTimes !== null;
    return {
      channels: Object.fromEntries(Object.entries(refs).filter(([, each]) => !isDefault(each))),
      note: note?.trim() ?? null,
      runbookUrl,
      remindHours,
      slow: isSlowSet ? { seconds: slowSeconds, timesMedian: slowTimes } : null,
      certificates,
    };
  },
  split: ({ channels: chosen, note, runbookUrl, remindHours, slow, certificates }) => ({
    note,
    runbookUrl,
    remindHours,
    slowSeconds: slow?.seconds ?? null,
    slowTimes: slow?.timesMedian ?? null,
    certificates,
    warning: chosen.warning ?? [DEFAULT_REF],
    failure: chosen.failure ?? [DEFAULT_REF],
    recovery: chosen.recovery ?? [DEFAULT_REF],
  }),
  // By ids; a missing level goes to the default.
  record: ({ channels: alert_channels, note, runbookUrl, remindHours, slow, certificates }) => ({
    alert_channels,
    alert_note: note,
    runbook_url: runbookUrl,
    slow_seconds: slow?.seconds ?? null,
    slow_times_median: slow?.timesMedian ?? null,
    remind_hours: remindHours,
    certificate_alerts: certificates,
  }),
  activity: ['alert settings', 'name'],
});

function isDefault(refs: readonly ChannelRef[]): boolean {
  return refs.length === 1 && refs[0] === DEFAULT_REF;
}
