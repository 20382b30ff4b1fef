import {
  ALERT_LEVELS,
  type AlertSettings,
  type ChannelRef,
  NO_ALERT_SETTINGS,
  NOTE_CHARACTERS,
  REMIND_HOURS,
  type RemindHours,
} from '#domain/alert-settings';
import type { AlertLevel } from '#domain/alert-streak';
import { type Fields, Findings, findGiven, isAtMost, isName, isSendableUrl } from './fields.ts';
import { type Reading, readInteger, readText } from './fields.ts';
import { LIMITS } from '#domain/limits';

const TEXTS = {
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
 * each a list (a missing one means the team's default channel, an empty one nobody), `alert_note`, `runbook_url`, and
 * for a cron `remind_hours`. Never throws.
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
  const channels: Partial<Record<AlertLevel, readonly ChannelRef[]>> = {};
  for (const level of ALERT_LEVELS) {
    const refs = readRefs(fields, channelsField(level), refOf, findings);
    if (refs !== null) channels[level] = refs;
  }
  return findings.settle({ ...NO_ALERT_SETTINGS, channels, note, runbookUrl, remindHours });
}

function readRemindHours(fields: Fields, findings: Findings): RemindHours | null {
  const given = readInteger(fields, 'remind_hours', findings);
  if (given === null) return null;
  const hours = REMIND_HOURS.find((known) => known === given);
  if (hours === undefined) findings.add('remind_hours', TEXTS.remindHours);
  return hours ?? null;
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
