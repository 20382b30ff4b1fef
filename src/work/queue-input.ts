import { parseAssertions } from '#domain/assertions';
import type { JsonField } from '#domain/json-text';
import { MOST_RATE, parseRate } from '#domain/rate';
import { MAX_RETRIES, parseRetrySchedule } from '#domain/retry-schedule';
import type { QueueSettings } from '#domain/queue-settings';
import { type Fields, Findings, type Reading, findGiven, isAtMost, isName } from './fields.ts';
import { readBoolean, readInteger, readRequiredText } from './fields.ts';
import { LIMITS } from '#domain/limits';
import { MESSAGES } from './messages.ts';
import { takeTags } from './tag-input.ts';

/** A change to a queue (§2.3). Settings that are left out stay, or take their defaults in a new queue. */
export type QueueChange = Partial<QueueSettings>;

export const RATE_RULE = `The rate must be a whole number from 1 to ${MOST_RATE}, per second, minute or hour, such as 10/second`;

const TEXTS = {
  retrySchedule: `The retry schedule must be up to ${MAX_RETRIES} waits between 1 second and 24 hours, such as 1m, 30m, 3h.`,
  concurrencyLimit: `The concurrency limit must be a whole number from 1 to ${LIMITS.concurrency.most}, or none.`,
  rate: `${RATE_RULE}, or none.`,
  deadLetterDays: `Dead letter retention must be from ${LIMITS.deadLetterDays.least} to ${LIMITS.deadLetterDays.most} days.`,
  assertionsNotJson: 'Assertions must be a list written as JSON.',
} as const;

const NAME = {
  missing: MESSAGES.queueRequired,
  rules: [isName('queue'), isAtMost('queue', LIMITS.queueCharacters)],
};

/** Reads a queue's name from the field `queue`, by the same rules as for a job (§2.2). */
export function readQueueName(fields: Fields): Reading<string> {
  const findings = new Findings();
  return findings.settle(readRequiredText(fields, 'queue', NAME, findings));
}

/**
 * Reads a change to a queue's settings: `timeout_seconds`, `retry_schedule` (text as people edit it),
 * `retries_enabled`, `concurrency_limit` and `rate` (`none`, or blank in a form, lifts it),
 * `assertions` (a list, or its JSON text), `email_alerts`, `dead_letter_days`, `is_paused`, `tags` (see
 * `readTagsInput`). A field that is absent changes nothing.
 * Never throws.
 */
export function readQueueChange(fields: Fields): Reading<QueueChange> {
  const findings = new Findings();
  const change: QueueChange = {};
  for (const [field, read] of READERS) {
    if (fields.has(field)) Object.assign(change, read(fields, findings));
  }
  return findings.settle(change);
}

type Reader = (fields: Fields, findings: Findings) => QueueChange;

const READERS: readonly (readonly [field: string, read: Reader])[] = [
  ['timeout_seconds', readTimeout],
  ['retry_schedule', readRetrySchedule],
  [
    'retries_enabled',
    (fields, findings) => ({
      retriesEnabled: readBoolean(fields, 'retries_enabled', true, findings),
    }),
  ],
  ['concurrency_limit', readConcurrencyLimit],
  ['rate', readRate],
  ['assertions', readAssertions],
  [
    'email_alerts',
    (fields, findings) => ({ emailAlerts: readBoolean(fields, 'email_alerts', false, findings) }),
  ],
  ['dead_letter_days', readDeadLetterDays],
  [
    'is_paused',
    (fields, findings) => ({ isPaused: readBoolean(fields, 'is_paused', false, findings) }),
  ],
  ['tags', (fields, findings) => ({ tags: takeTags(fields, findings) })],
];

function readTimeout(fields: Fields, findings: Findings): QueueChange {
  const { least, most } = LIMITS.timeoutSeconds;
  const seconds = readInteger(fields, 'timeout_seconds', findings);
  if (seconds === null) return {};
  if (seconds < least) findings.add('timeout_seconds', MESSAGES.timeoutTooShort);
  if (seconds > most) findings.add('timeout_seconds', MESSAGES.timeoutTooLong);
  return { timeoutSeconds: seconds };
}

function readRetrySchedule(fields: Fields, findings: Findings): QueueChange {
  const given = findGiven(fields, 'retry_schedule');
  if (given === null) return { retrySchedule: [] };
  const schedule = given.kind === 'string' ? parseRetrySchedule(given.value) : null;
  if (schedule === null) findings.add('retry_schedule', TEXTS.retrySchedule);
  return { retrySchedule: schedule ?? [] };
}

function readConcurrencyLimit(fields: Fields, findings: Findings): QueueChange {
  const given = findGiven(fields, 'concurrency_limit');
  if (given === null || (given.kind === 'string' && given.value === 'none')) {
    return { concurrencyLimit: null };
  }
  const { least, most } = LIMITS.concurrency;
  const limit = readInteger(fields, 'concurrency_limit', new Findings());
  if (limit === null || limit < least || limit > most) {
    findings.add('concurrency_limit', TEXTS.concurrencyLimit);
  }
  return { concurrencyLimit: limit };
}

function readRate(fields: Fields, findings: Findings): QueueChange {
  const given = findGiven(fields, 'rate');
  if (given === null || (given.kind === 'string' && given.value === 'none')) return { rate: null };
  const rate = given.kind === 'string' ? parseRate(given.value) : null;
  if (rate === null) findings.add('rate', TEXTS.rate);
  return { rate };
}

function readDeadLetterDays(fields: Fields, findings: Findings): QueueChange {
  const { least, most } = LIMITS.deadLetterDays;
  const days = readInteger(fields, 'dead_letter_days', findings);
  if (days === null) return {};
  if (days < least || days > most) findings.add('dead_letter_days', TEXTS.deadLetterDays);
  return { deadLetterDays: days };
}

function readAssertions(fields: Fields, findings: Findings): QueueChange {
  const given = findGiven(fields, 'assertions');
  const assertions = given === null ? [] : parseAssertions(parseGiven(given));
  if (!('error' in assertions)) return { assertions };
  findings.add('assertions', isReadable(given) ? assertions.error : TEXTS.assertionsNotJson);
  return {};
}

/** A list from a JSON body, or as text from a form's field; undefined for text that is not JSON. */
function parseGiven(given: JsonField): unknown {
  try {
    return JSON.parse(given.kind === 'string' ? given.value : given.raw) as unknown;
  } catch {
    return undefined;
  }
}

function isReadable(given: JsonField | null): boolean {
  return given === null || parseGiven(given) !== undefined;
}
