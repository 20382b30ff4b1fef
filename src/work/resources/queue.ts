import { LIMITS, rangeOf } from '#domain/base/limits';
import { DEFAULT_QUEUE_SETTINGS as INITIAL, type QueueSettings } from '#domain/team/queue-settings';
import { MOST_RATE, parseRate, type Rate } from '#domain/team/rate';
import { MAX_RETRIES } from '#domain/judging/retry-schedule';
import { isName } from '../fields.ts';
import { ALERT_SETTINGS } from './alerts.ts';
import { WATCH_RULES } from './queue-watch.ts';
import { boolean, durations, integer, rate, text } from './kinds.ts';
import { keepsResponseBody, pausedUntil, successAssertions, tagList, timeout } from './request.ts';
import type { Resource } from './resource.ts';

/** Left out: stays, or the default of a new queue (§2.3). */
export type QueueChange = Partial<QueueSettings>;

const RATE_RULE = `The rate must be a whole number from 1 to ${MOST_RATE}, per second, minute or hour, such as 10/second`;

const CONCURRENCY_RULE = `The concurrency limit must be a whole number from ${rangeOf(LIMITS.concurrency)}, or none.`;

/** In the order of errors (§2.3). */
export const QUEUE: Resource<QueueSettings> = {
  timeoutSeconds: timeout('an attempt'),
  retrySchedule: durations('retry_schedule', {
    wrong: `The retry schedule must be up to ${MAX_RETRIES} waits between 1 second and 24 hours, such as 1m, 30m, 3h.`,
    initial: INITIAL.retrySchedule,
    isAlwaysWritten: true,
    option: {
      flags: '--retries <LIST>',
      help: 'waits before each retry such as "1m,30m,3h", or off',
      switches: 'retries_enabled',
    },
    record: (retry_schedule) => ({ retry_schedule }),
    activity: ['retry schedule', 'value'],
  }),
  retriesEnabled: boolean('retries_enabled', {
    initial: INITIAL.retriesEnabled,
    isAlwaysWritten: true,
    activity: ['retries', 'value'],
  }),
  concurrencyLimit: integer('concurrency_limit', {
    ...LIMITS.concurrency,
    initial: null,
    takesNone: true,
    outside: CONCURRENCY_RULE,
    wrong: CONCURRENCY_RULE,
    option: {
      flags: '--concurrency <N>',
      help: 'how many of its jobs may run at once, or none for no limit',
    },
    activity: ['concurrency limit', 'value'],
  }),
  rate: rate('rate', {
    wrong: `${RATE_RULE}, or none.`,
    option: {
      flags: '--rate <RATE>',
      help: 'how many of its attempts may start, such as 10/second, or none',
    },
    activity: ['rate', 'value'],
  }),
  assertions: successAssertions(),
  emailAlerts: boolean('email_alerts', {
    initial: INITIAL.emailAlerts,
    isAlwaysWritten: true,
    option: {
      flags: '--email-alerts <SWITCH>',
      help: 'mails about failing jobs',
      choices: ['on', 'off'],
    },
    activity: ['email alerts', 'value'],
  }),
  deadLetterDays: integer('dead_letter_days', {
    ...LIMITS.deadLetterDays,
    outside: `Dead letter retention must be from ${LIMITS.deadLetterDays.least} to ${LIMITS.deadLetterDays.most} days.`,
    isAlwaysWritten: true,
    option: {
      flags: '--dead-letter-days <N>',
      help: `how long dead letters are kept, ${rangeOf(LIMITS.deadLetterDays)}`,
    },
    activity: ['dead letter days', 'value'],
  }),
  isPaused: boolean('is_paused', {
    initial: INITIAL.isPaused,
    isAlwaysWritten: true,
    option: {
      flags: '--pause',
      help: 'start none of its jobs',
      opposite: { long: 'resume', help: 'start its jobs again', excludes: 'pause-until' },
    },
    activity: ['paused', 'value'],
  }),
  pausedUntil: pausedUntil(),
  keepsResponseBody: keepsResponseBody(),
  tags: tagList(),
  alertSettings: ALERT_SETTINGS,
  watch: WATCH_RULES,
};

export const queueName = (field: 'queue' | 'name', about?: string) =>
  text(field, {
    missing: 'A queue name is required.',
    rules: [isName(field)],
    most: LIMITS.queueCharacters,
    ...(about !== undefined && { about }),
    option: { flags: '--queue <Q>', help: "the queue's name" },
    activity: ['queue', 'value'],
  });

/** As for a job (§2.2). */
export const QUEUE_NAME: Resource<{ name: string }> = { name: queueName('queue') };

/** `10/second`; undefined: not spread. */
export function readSpread(given: string): { rate: Rate | undefined } | { error: string } {
  if (given.trim() === '') return { rate: undefined };
  const read = parseRate(given);
  return read ? { rate: read } : { error: `${RATE_RULE}.` };
}
