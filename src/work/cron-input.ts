import { parseCronExpression } from '#domain/cron';
import type { HeaderList, HttpMethod } from '#domain/exchange';
import { CALLBACK_URL_RULES, TARGET_URL_RULES } from './fields.ts';
import { type Fields, Findings, type Reading, type TextRule, isAtMost, isName } from './fields.ts';
import { readBoolean, readInteger, readMethod, readRequiredText, readText } from './fields.ts';
import { readHeaders } from './header-input.ts';
import { LIMITS } from '#domain/limits';
import { MESSAGES } from './messages.ts';

/** A validated cron (§2.1), with every default filled in. Texts are as given, untrimmed. */
export interface CronInput {
  name: string;
  url: string;
  cronExpression: string;
  method: HttpMethod;
  headers: HeaderList;
  /** A text, JSON or not. How it is sent is decided when a run is sent (§2.6). */
  payload: string | null;
  callbackUrl: string | null;
  timeoutSeconds: number;
  /** Consecutive failed runs that raise an alert; null switches alerts off. */
  alertThreshold: 1 | 2 | 3 | null;
  isActive: boolean;
}

/** The fields that a cron has (§2.1). Others are ignored. */
export const CRON_FIELDS: ReadonlySet<string> = new Set(
  [
    'name url cron_expression method headers payload callback_url',
    'timeout_seconds alert_threshold is_active',
  ].flatMap((names) => names.split(' ')),
);

const NAME = {
  missing: MESSAGES.nameRequired,
  rules: [isName('name'), isAtMost('name', LIMITS.nameCharacters)],
};
const URL_FIELD = { missing: MESSAGES.urlRequired, rules: TARGET_URL_RULES };
const CRON_EXPRESSION = {
  missing: MESSAGES.cronExpressionRequired,
  rules: [isAtMost('cron_expression', LIMITS.cronExpressionCharacters), everRuns],
};

function everRuns(text: string): ReturnType<TextRule> {
  const schedule = parseCronExpression(text);
  if (schedule === 'invalid') return MESSAGES.cronExpressionInvalid;
  return schedule === 'never' ? MESSAGES.cronExpressionNeverRuns : null;
}

/**
 * Reads a cron from a body or a form (§2.1, §7, §2.8, §2.9, §2.10, §4.5, §7.1). Unknown fields are ignored.
 * All failing fields are reported, in the order of the table. Never throws.
 */
export function readCronInput(fields: Fields): Reading<CronInput> {
  const findings = new Findings();
  // Properties are evaluated in the order of the table, which is the order of the errors.
  const input = {
    name: readRequiredText(fields, 'name', NAME, findings),
    url: readRequiredText(fields, 'url', URL_FIELD, findings),
    cronExpression: readRequiredText(fields, 'cron_expression', CRON_EXPRESSION, findings),
    method: readMethod(fields, 'GET', findings),
    headers: readHeaders(fields, findings),
    payload: readText(fields, 'payload', [], findings),
    callbackUrl: readText(fields, 'callback_url', CALLBACK_URL_RULES, findings),
    timeoutSeconds: readTimeout(fields, findings),
    alertThreshold: readAlertThreshold(fields, findings),
    isActive: readBoolean(fields, 'is_active', true, findings),
  };
  return findings.settle(input);
}

function readTimeout(fields: Fields, findings: Findings): number {
  const { least, most, initial } = LIMITS.timeoutSeconds;
  const seconds = readInteger(fields, 'timeout_seconds', findings);
  if (seconds === null) return initial;
  if (seconds < least) findings.add('timeout_seconds', MESSAGES.timeoutTooShort);
  if (seconds > most) findings.add('timeout_seconds', MESSAGES.timeoutTooLong);
  return seconds;
}

function readAlertThreshold(fields: Fields, findings: Findings): 1 | 2 | 3 | null {
  const given = readInteger(fields, 'alert_threshold', findings);
  if (given === null) return null;
  const threshold = LIMITS.alertThresholds.find((known) => known === given);
  if (threshold === undefined) findings.add('alert_threshold', MESSAGES.alertThresholdUnknown);
  return threshold ?? null;
}
