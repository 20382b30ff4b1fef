/** Alerts about a queue as a whole (§6.4). */
import { rangeOf } from '#domain/limits';
import { WATCH_RANGES, type WatchRules } from '#domain/queue-watch';
import { group } from './field.ts';
import { integer } from './kinds.ts';
import type { Resource } from './resource.ts';

interface WatchParts {
  minutes: number | null;
  jobs: number | null;
  pausedHours: number | null;
  percent: number | null;
  attempts: number;
}

const PARTS: Resource<WatchParts> = {
  minutes: integer('backlog_minutes', {
    ...WATCH_RANGES.minutes,
    outside: `A job may be overdue by ${rangeOf(WATCH_RANGES.minutes)} minutes.`,
    initial: null,
    option: {
      flags: '--backlog-minutes <N>',
      help: `alert if a job is overdue by more minutes, ${rangeOf(WATCH_RANGES.minutes)}`,
      none: 'not by minutes',
    },
  }),
  jobs: integer('backlog_jobs', {
    ...WATCH_RANGES.jobs,
    outside: `The due jobs that may wait must be a whole number from ${rangeOf(WATCH_RANGES.jobs)}.`,
    initial: null,
    option: {
      flags: '--backlog-jobs <N>',
      help: `alert if more due jobs wait, ${rangeOf(WATCH_RANGES.jobs)}`,
      none: 'not by waiting jobs',
    },
  }),
  pausedHours: integer('backlog_paused_hours', {
    ...WATCH_RANGES.pausedHours,
    outside: `A queue may be paused for ${rangeOf(WATCH_RANGES.pausedHours)} hours without an alert.`,
    initial: null,
    option: {
      flags: '--backlog-paused-hours <N>',
      help: `alert if it is paused for more hours, ${rangeOf(WATCH_RANGES.pausedHours)}`,
      none: 'not by the pause',
    },
  }),
  percent: integer('failure_percent', {
    ...WATCH_RANGES.percent,
    outside: `The failed attempts must be ${rangeOf(WATCH_RANGES.percent)} percent.`,
    initial: null,
    option: {
      flags: '--failure-percent <N>',
      help: `alert if more percent of its last attempts failed, ${rangeOf(WATCH_RANGES.percent)}`,
      none: 'no such alert',
    },
  }),
  attempts: integer('failure_attempts', {
    ...WATCH_RANGES.attempts,
    outside: `The last attempts must be a whole number from ${rangeOf(WATCH_RANGES.attempts)}.`,
    option: {
      flags: '--failure-attempts <N>',
      help: `how many last attempts --failure-percent is of, ${rangeOf(WATCH_RANGES.attempts)}`,
    },
  }),
};

export const WATCH_RULES = group<WatchParts, WatchRules>(PARTS, {
  join: ({ percent, attempts, ...backlog }) => ({
    backlog: Object.values(backlog).every((limit) => limit === null) ? null : backlog,
    failureRate:
      percent === null && attempts === WATCH_RANGES.attempts.initial ? null : { percent, attempts },
  }),
  split: ({ backlog, failureRate }) => ({
    minutes: backlog?.minutes ?? null,
    jobs: backlog?.jobs ?? null,
    pausedHours: backlog?.pausedHours ?? null,
    percent: failureRate?.percent ?? null,
    attempts: failureRate?.attempts ?? WATCH_RANGES.attempts.initial,
  }),
  activity: ['backlog and failure rate alerts', 'name'],
});
