import type { AlertSettings } from '#domain/alerts/alert-settings';
import type { Assertion } from '#domain/judging/assertion';
import { parseCronExpression } from '#domain/cron/cron';
import { STOP_AFTER } from '#domain/alerts/alert-streak';
import { type CronEnd, describeEnd, MOST_RUNS } from '#domain/cron/cron-end';
import type { HeaderList, HttpMethod } from '#domain/http/exchange';
import { formatMillis } from '#domain/base/instant';
import { LIMITS, rangeOf } from '#domain/base/limits';
import { isAtMost, isName } from '../fields.ts';
import { ALERT_SETTINGS } from './alerts.ts';
import {
  callbackUrl,
  keepsResponseBody,
  method,
  pausedUntil,
  sentHeaders,
  successAssertions,
  tagList,
  targetUrl,
  timeout,
} from './request.ts';
import { group } from './field.ts';
import { boolean, instant, integer, oneOf, text } from './kinds.ts';
import type { Resource } from './resource.ts';

/** §2.1, with defaults. Texts are untrimmed. */
export interface CronInput {
  name: string;
  url: string;
  cronExpression: string;
  method: HttpMethod;
  headers: HeaderList;
  /** JSON or not; decided when a run is sent (§2.6). */
  payload: string | null;
  callbackUrl: string | null;
  timeoutSeconds: number;
  alertThreshold: number | null;
  isActive: boolean;
}

/** The API can't set them. */
export interface CronExtras {
  assertions: readonly Assertion[];
  alertSettings: AlertSettings;
  /** Failed runs in a row after which it is paused. Null: never. */
  stopAfter: number | null;
  keepsResponseBody: boolean;
  /** When the pause ends automatically; a future time pauses. */
  pausedUntil: number | null;
  /** Inclusive. */
  startsAt: number | null;
  end: CronEnd;
  /** Sorted, each once (§2.13). */
  tags: readonly string[];
}

/** In the order of errors; the API ignores other fields (§2.1). */
export const CRON_REQUEST: Resource<CronInput> = {
  name: text('name', {
    missing: 'A name for the cron job is required.',
    rules: [isName('name')],
    most: LIMITS.nameCharacters,
    about: 'Need not be unique.',
    option: { flags: '--name <N>', help: "the cron's name" },
    activity: ['name', 'value'],
  }),
  url: targetUrl(),
  cronExpression: text('cron_expression', {
    missing: 'A cron expression is required.',
    rules: [isAtMost('cron_expression', LIMITS.cronExpressionCharacters), everRuns],
    schema: { maxLength: LIMITS.cronExpressionCharacters },
    about:
      'Five fields, or @hourly, @daily, @weekly, @monthly or @yearly. Always evaluated in UTC.',
    examples: ['*/5 * * * *', '0 9 * * MON-FRI'],
    option: {
      flags: '--expression <E>',
      help: 'when, in UTC: five fields such as "*/5 * * * *", or @daily',
    },
    activity: ['schedule', 'value'],
  }),
  method: method('GET'),
  headers: sentHeaders(),
  payload: text('payload', {
    about:
      'A string. A JSON object or array in it is sent as that JSON, any other text under the key `body`; for GET it is sent as query parameters.',
    option: { flags: '--payload <TEXT>', help: 'the payload', none: 'send no payload' },
    record: () => ({}),
    activity: ['payload', 'name'],
  }),
  callbackUrl: callbackUrl('Receives a POST after every run.', 'receives a summary of each run'),
  timeoutSeconds: timeout('a run'),
  alertThreshold: oneOf('alert_threshold', {
    values: LIMITS.alertThresholds,
    wrong: 'The alert threshold must be 1, 2, or 3.',
    about: 'Alert after that many consecutive failed runs. Without it there are no alerts.',
    option: {
      flags: '--alert-threshold <N>',
      help: 'failed runs in a row that raise an alert: 1, 2 or 3',
      none: 'raise no alerts',
    },
    activity: ['alert threshold', 'value'],
  }),
  isActive: boolean('is_active', {
    initial: true,
    about: 'False creates the cron paused.',
    isAlwaysWritten: true,
    option: { flags: '--paused', help: 'create it paused', isOff: true, isForNew: true },
    activity: ['active', 'value'],
  }),
};

function everRuns(expression: string): string | null {
  const schedule = parseCronExpression(expression);
  if (schedule === 'invalid') return 'The cron expression is not a valid cron expression.';
  return schedule === 'never' ? 'The cron expression never produces a valid run time.' : null;
}

const END: Resource<CronEnd> = {
  endsAt: instant('ends_at', {
    wrong: 'The end must be a date and a time in UTC, such as 2026-12-31 18:00.',
    option: {
      flags: '--ends-at <TIME>',
      help: 'when it ends, in UTC such as "2026-12-31 18:00"',
      none: 'remove the end time',
    },
  }),
  maxRuns: integer('max_runs', {
    ...MOST_RUNS,
    initial: null,
    outside: `The number of runs must be a whole number from ${rangeOf(MOST_RUNS)}.`,
    option: {
      flags: '--max-runs <N>',
      help: `after how many scheduled runs it ends, ${rangeOf(MOST_RUNS)}`,
      none: 'remove the limit of runs',
    },
  }),
};

export const CRON_EXTRAS: Resource<CronExtras> = {
  assertions: successAssertions(),
  alertSettings: ALERT_SETTINGS,
  stopAfter: integer('stop_after', {
    ...STOP_AFTER,
    initial: null,
    outside: `The failed runs that stop it must be a whole number from ${rangeOf(STOP_AFTER)}.`,
    option: {
      flags: '--stop-after <N>',
      help: `pause it after so many failed runs in a row, ${rangeOf(STOP_AFTER)}`,
      none: 'never pause it by itself',
    },
    activity: ['stop after failed runs', 'value'],
  }),
  keepsResponseBody: keepsResponseBody(),
  tags: tagList(),
  pausedUntil: pausedUntil(),
  startsAt: instant('starts_at', {
    wrong: 'The start must be a date and a time in UTC, such as 2026-12-31 18:00.',
    option: {
      flags: '--starts-at <TIME>',
      help: 'the first time for scheduled runs, in UTC such as "2026-12-31 18:00"',
      none: 'remove the start time',
    },
    record: (startsAt) => ({ starts_at: formatMillis(startsAt) }),
    activity: ['start', 'value'],
  }),
  /** §3.1; an end in the past is accepted. */
  end: group(END, {
    record: ({ endsAt, maxRuns }) => ({ ends_at: formatMillis(endsAt), max_runs: maxRuns }),
    activity: ['end', 'value'],
    say: describeEnd,
  }),
};

export const CRON: Resource<CronInput & CronExtras> = { ...CRON_REQUEST, ...CRON_EXTRAS };
