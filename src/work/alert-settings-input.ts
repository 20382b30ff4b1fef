import {
  ALERT_LEVELS,
  type AlertSettings,
  type ChannelRef,
  NOTE_CHARACTERS,
  REMIND_HOURS,
  type RemindHours,
} from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import { type Fields, Findings, findGiven, isAtMost, isName, isSendableUrl } from './fields.ts';
import { type Reading, readInteger, readText } from './fields.ts';
import { LIMITS, rangeOf } from '#domain/limits';
import { SLOW_RANGES, type SlowRule } from '#domain/slow-runs';

const TEXTS = {
  slowSeconds: `Slow runs take longer than ${rangeOf(SLOW_RANGES.seconds)} seconds.`,
  slowTimes: `Slow runs take longer than ${rangeOf(SLOW_RANGES.timesMedian)} times the median.`,
  notAList: 'The channels must be a list of names.',
  unknown: 'There is no such channel.',
  remindHours: 'Reminders come every 1, 6 or 24 hours.',
  runbook: 'The runbook must be a valid URL.',
} as const;

/** The field with the channels of a level. */
export function channelsField(level: AlertLevel): `${AlertLevel}_channels` {
  return `${level}_channels`;
}

/**
 * Reads the alert settings of a cron or queue (§6.5): `warning_channels`, `failure_channels` and `recovery_channels`,
 * each a list (a missing one means the team's default channel, an empty one nobody), `alert_note`, `runbook_url`,
 * `slow_seconds`, `slow_times_median` and `remind_hours`. Never throws.
 *
 * @param refOf  the channel that a text of the list means, or null
 */
export function readAlertSettings(
  fields: Fields,
  refOf: (text: string) => ChannelRef | null,
): Reading<AlertSettings> {
  const findings = new Findings();
  const note = readText(fields, 'alert_note', NOTE_RULES, findings)?.trim() ?? null;
  const runbookUrl = readText(fields, 'runbook_url', RUNBOOK_RULES, findings);
  const remindHours = readRemindHours(fields, findings);
  const slow = readSlowRule(fields, findings);
  const channels: Partial<Record<AlertLevel, readonly ChannelRef[]>> = {};
  for (const level of ALERT_LEVELS) {
    const refs = readRefs(fields, channelsField(level), refOf, findings);
    if (refs !== null) channels[level] = refs;
  }
  return findings.settle({ channels, note, runbookUrl, remindHours, slow });
}

function readRemindHours(fields: Fields, findings: Findings): RemindHours | null {
  const given = readInteger(fields, 'remind_hours', findings);
  if (given === null) return null;
  const hours = REMIND_HOURS.find((known) => known === given);
  if (hours === undefined) findings.add('remind_hours', TEXTS.remindHours);
  return hours ?? null;
}

function readSlowRule(fields: Fields, findings: Findings): SlowRule | null {
  const seconds = readInteger(fields, 'slow_seconds', findings);
  const timesMedian = readInteger(fields, 'slow_times_median', findings);
  if (isOutside(seconds, SLOW_RANGES.seconds)) findings.add('slow_seconds', TEXTS.slowSeconds);
  if (isOutside(timesMedian, SLOW_RANGES.timesMedian))
    findings.add('slow_times_median', TEXTS.slowTimes);
  return seconds === null && timesMedian === null ? null : { seconds, timesMedian };
}

function isOutside(
  value: number | null,
  { least, most }: { least: number; most: number },
): boolean {
  return value !== null && (value < least || value > most);
}

const NOTE_RULES = [isName('alert_note'), isAtMost('alert_note', NOTE_CHARACTERS)];
const RUNBOOK_RULES = [
  (text: string) => (isSendableUrl(text) ? null : TEXTS.runbook),
  isAtMost('runbook_url', LIMITS.urlCharacters),
];

function readRefs(
  fields: Fields,
  field: string,
  refOf: (text: string) => ChannelRef | null,
  findings: Findings,
): readonly ChannelRef[] | null {
  const given = findGiven(fields, field);
  if (given === null) return null;
  const list = given.kind === 'array' ? (JSON.parse(given.raw) as unknown[]) : null;
  if (!list?.every((each) => typeof each === 'string')) {
    findings.add(field, TEXTS.notAList);
    return null;
  }
  const refs = list.map((text) => refOf(text));
  if (refs.includes(null)) findings.add(field, TEXTS.unknown);
  return [...new Set(refs.filter((ref) => ref !== null))];
}
