/** Options of crons and queues about their alerts: who is told, of what, and what stands in the notice. */
import type { Command } from 'commander';
import {
  ALERT_LEVELS,
  type AlertSettings,
  DEFAULT_REF,
  NO_ALERT_SETTINGS,
} from '#domain/alert-settings';
import { rangeOf } from '#domain/limits';
import { SLOW_RANGES } from '#domain/slow-runs';
import { channelsField, readAlertSettings } from '#work/resources/alerts';
import type { Work } from '#work/work';
import { repeatedOption } from './options.ts';
import { accept, fieldsOf, type Members, refuseBlank } from './readings.ts';

/** `false` where the option's `--no-…` was given; channels are told by several of an option. */
export interface AlertOptions {
  warningChannel?: string[];
  warningChannels?: boolean;
  failureChannel?: string[];
  failureChannels?: boolean;
  recoveryChannel?: string[];
  recoveryChannels?: boolean;
  alertNote?: string | false;
  runbookUrl?: string | false;
  slowSeconds?: string | false;
  slowTimesMedian?: string | false;
  remindHours?: string | false;
}

const OPTION_OF = {
  warning_channels: '--warning-channel',
  failure_channels: '--failure-channel',
  recovery_channels: '--recovery-channel',
  alert_note: '--alert-note',
  runbook_url: '--runbook-url',
  slow_seconds: '--slow-seconds',
  slow_times_median: '--slow-times-median',
  remind_hours: '--remind-hours',
} as const;

export function addAlertOptions(command: Command): Command {
  for (const level of ALERT_LEVELS) {
    const what = `a channel that is told of ${level === 'recovery' ? 'recoveries' : `${level}s`}`;
    command
      .addOption(
        repeatedOption(`--${level}-channel <NAME>`, `${what}, or default; may be repeated`),
      )
      .option(`--no-${level}-channels`, 'tell nobody of them');
  }
  return command
    .option('--alert-note <TEXT>', 'stands in its notices')
    .option('--no-alert-note', 'no note')
    .option('--runbook-url <U>', 'a page that its notices lead to')
    .option('--no-runbook-url', 'no runbook')
    .option('--slow-seconds <S>', `longer runs are slow, ${rangeOf(SLOW_RANGES.seconds)}`)
    .option('--no-slow-seconds', 'not by seconds')
    .option(
      '--slow-times-median <N>',
      `so are runs of so many times the median, ${rangeOf(SLOW_RANGES.timesMedian)}`,
    )
    .option('--no-slow-times-median', 'not by the median')
    .option('--remind-hours <N>', 'tell again while it goes on: every 1, 6 or 24 hours')
    .option('--no-remind-hours', 'no reminders');
}

/** The settings with what was given of them; nothing where nothing was, which leaves them as they are. */
export async function readAlertOptions(
  options: AlertOptions,
  { work, teamId }: { work: Work; teamId: string },
  before: AlertSettings = NO_ALERT_SETTINGS,
): Promise<{ alertSettings?: AlertSettings }> {
  const members = membersOf(options);
  if (Object.keys(members).length === 0) return {};
  const channels = await work.listChannelChoices(teamId);
  const ids = new Map(channels.map(({ id, name }) => [name ?? DEFAULT_REF, id]));
  const given = accept(
    readAlertSettings(fieldsOf(members), (name) => ids.get(name) ?? null),
    OPTION_OF,
  );
  const isGiven = (field: keyof typeof OPTION_OF) => field in members;
  const seconds = isGiven('slow_seconds') ? given.slow?.seconds : before.slow?.seconds;
  const times = isGiven('slow_times_median') ? given.slow?.timesMedian : before.slow?.timesMedian;
  const slow = { seconds: seconds ?? null, timesMedian: times ?? null };
  const alertSettings = {
    channels: { ...before.channels, ...given.channels },
    note: isGiven('alert_note') ? given.note : before.note,
    runbookUrl: isGiven('runbook_url') ? given.runbookUrl : before.runbookUrl,
    remindHours: isGiven('remind_hours') ? given.remindHours : before.remindHours,
    slow: slow.seconds === null && slow.timesMedian === null ? null : slow,
  };
  return { alertSettings };
}

/** Only what was given. */
function membersOf(options: AlertOptions): Members {
  const texts = {
    alert_note: options.alertNote,
    runbook_url: options.runbookUrl,
    slow_seconds: options.slowSeconds,
    slow_times_median: options.slowTimesMedian,
    remind_hours: options.remindHours,
  };
  const members: Members = {};
  for (const [field, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    if (text !== false) refuseBlank(OPTION_OF[field as keyof typeof texts], text);
    members[field] = text === false ? 'null' : JSON.stringify(text);
  }
  for (const level of ALERT_LEVELS) {
    const names = options[`${level}Channel`];
    if (names) members[channelsField(level)] = JSON.stringify(names);
    else if (options[`${level}Channels`] === false) members[channelsField(level)] = '[]';
  }
  return members;
}
