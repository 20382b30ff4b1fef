/** Alerts about a queue as a whole (§6.4). */
import { rangeOf } from '#domain/base/limits';
import {
  type BacklogRule,
  type FailureRule,
  WATCH_RANGES,
  type WatchRules,
} from '#domain/alerts/queue-watch';
import { group } from './field.ts';
import { integer } from './kinds.ts';
import type { Resource } from './resource.ts';

const limit = (
  name: string,
  range: { least: number; most: number },
  texts: (range: string) => { outside: string; help: string; none: string },
) => {
  const { outside, help, none } = texts(rangeOf(range));
  const flags = `--${name.replaceAll('_', '-')} <N>`;
  return integer(name, { ...range, outside, initial: null, option: { flags, help, none } });
};

const BACKLOG: Resource<BacklogRule> = {
  minutes: limit('backlog_minutes', WATCH_RANGES.minutes, (range) => ({
    outside: `A job may be overdue by ${range} minutes.`,
    help: `alert if a job is overdue by more minutes, ${range}`,
    none: 'not by minutes',
  })),
  jobs: limit('backlog_jobs', WATCH_RANGES.jobs, (range) => ({
    outside: `The due jobs that may wait must be a whole number from ${range}.`,
    help: `alert if more due jobs wait, ${range}`,
    none: 'not by waiting jobs',
  })),
  pausedHours: limit('backlog_paused_hours', WATCH_RANGES.pausedHours, (range) => ({
    outside: `A queue may be paused for ${range} hours without an alert.`,
    help: `alert if it is paused for more hours, ${range}`,
    none: 'not by the pause',
  })),
};

const FAILURE_RATE: Resource<FailureRule> = {
  percent: limit('failure_percent', WATCH_RANGES.percent, (range) => ({
    outside: `The failed attempts must be ${range} percent.`,
    help: `alert if more percent of its last attempts failed, ${range}`,
    none: 'no such alert',
  })),
  attempts: integer('failure_attempts', {
    ...WATCH_RANGES.attempts,
    outside: `The last attempts must be a whole number from ${rangeOf(WATCH_RANGES.attempts)}.`,
    option: {
      flags: '--failure-attempts <N>',
      help: `how many last attempts --failure-percent is of, ${rangeOf(WATCH_RANGES.attempts)}`,
    },
  }),
};

const RULES: Resource<WatchRules> = { backlog: group(BACKLOG), failureRate: group(FAILURE_RATE) };

export const WATCH_RULES = group(RULES, {
  activity: ['backlog and failure rate alerts', 'name'],
});
