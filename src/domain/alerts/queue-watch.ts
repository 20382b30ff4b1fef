/** Alerts about a queue as a whole (§6.4). */
import { countOf } from '../base/amounts.ts';
import { describeDuration } from '../base/duration-words.ts';
import { HOUR_MS, MINUTE_MS } from '../base/instant.ts';
import { readStoredObject } from '../json/stored-object.ts';

export interface BacklogRule {
  /** Since the time of the earliest due job. */
  minutes: number | null;
  jobs: number | null;
  pausedHours: number | null;
}

export interface FailureRule {
  /** Null: no alert. */
  percent: number | null;
  attempts: number;
}

export interface WatchRules {
  backlog: BacklogRule;
  failureRate: FailureRule;
}

export const WATCH_KINDS = ['backlog', 'failure_rate'] as const;
export type WatchKind = (typeof WATCH_KINDS)[number];

export const WATCH_RANGES = {
  minutes: { least: 1, most: 10_080 },
  jobs: { least: 1, most: 100_000 },
  pausedHours: { least: 1, most: 720 },
  percent: { least: 1, most: 99 },
  attempts: { least: 10, most: 500, initial: 50 },
} as const;

export const NO_WATCH: WatchRules = {
  backlog: { minutes: null, jobs: null, pausedHours: null },
  failureRate: { percent: null, attempts: WATCH_RANGES.attempts.initial },
};

export const WATCH_EVERY_MS = MINUTE_MS;

export function writeWatchRules(rules: WatchRules): string | null {
  const text = JSON.stringify(rules);
  return text === JSON.stringify(NO_WATCH) ? null : text;
}

/** Unreadable rules count as not set. */
export function readWatchRules(text: string | null): WatchRules {
  const kept = readStoredObject<WatchRules>(text);
  return {
    backlog: { ...NO_WATCH.backlog, ...kept.backlog },
    failureRate: { ...NO_WATCH.failureRate, ...kept.failureRate },
  };
}

export function kindsOf({ backlog, failureRate }: WatchRules): WatchKind[] {
  const isSet = {
    backlog: Object.values(backlog).some((limit) => limit !== null),
    failure_rate: failureRate.percent !== null,
  };
  return WATCH_KINDS.filter((kind) => isSet[kind]);
}

/** An open alert ends at half of its limits, so that values near a limit raise one alert. */
const END_SHARE = 0.5;

export interface Verdict {
  isOver: boolean;
  words: string;
}

export interface BacklogFacts {
  now: number;
  /** The earliest due job; null: none is due. */
  oldestDueAt: number | null;
  /** Due jobs, counted up to the limit and one more. */
  waiting: number;
  /** It or its team. */
  pausedAt: number | null;
}

/** Jobs wait on purpose in a paused queue, so only the length of the pause raises an alert. */
export function judgeBacklog(
  { minutes, jobs, pausedHours }: BacklogRule,
  { now, oldestDueAt, waiting, pausedAt }: BacklogFacts,
  isOpen: boolean,
): Verdict {
  const share = isOpen ? END_SHARE : 1;
  const waitedMs = oldestDueAt === null ? 0 : now - oldestDueAt;
  const pausedMs = pausedAt === null ? 0 : now - pausedAt;
  const isWatched = pausedAt === null || isOpen;
  const faults = [
    pausedHours !== null && pausedMs > pausedHours * HOUR_MS
      ? `Paused for ${minutesOf(pausedMs)}, longer than ${describeDuration(pausedHours * HOUR_MS)}.`
      : null,
    isWatched && minutes !== null && waitedMs > minutes * MINUTE_MS * share
      ? `The oldest job is overdue by ${minutesOf(waitedMs)}, limit ${describeDuration(minutes * MINUTE_MS)}.`
      : null,
    isWatched && jobs !== null && waiting > jobs * share
      ? `${waiting > jobs ? `More than ${countOf(jobs, 'job', 'jobs')}` : countOf(waiting, 'job', 'jobs')} due and waiting.`
      : null,
  ].filter((fault) => fault !== null);
  return faults.length > 0
    ? { isOver: true, words: faults.join(' ') }
    : { isOver: false, words: 'Its jobs start in time again.' };
}

/** Seconds would only show how late it was checked. */
function minutesOf(ms: number): string {
  return describeDuration(ms - (ms % MINUTE_MS));
}

export function judgeFailures(
  { percent, attempts }: FailureRule,
  { failed, finished }: { failed: number; finished: number },
  isOpen: boolean,
): Verdict {
  const share = isOpen ? END_SHARE : 1;
  const isOver = finished >= attempts && failed * 100 > (percent ?? 100) * finished * share;
  const limit = isOver ? `, limit ${percent} %` : '';
  return {
    isOver,
    words: `${failed} of the last ${finished} attempts failed${limit}.`,
  };
}

export interface WatchState {
  /** When a check first found it over its limit; null: the last check did not. */
  seenAt: number | null;
  /** Since when its alert is open. */
  since: number | null;
  /** Null: its alert is muted so far. */
  notifiedAt: number | null;
}

export const NOTHING_SEEN: WatchState = { seenAt: null, since: null, notifiedAt: null };

/**
 * Two checks must agree: after a restart or a step of the clock, jobs are overdue for a moment. A longer gap between
 * them proves nothing.
 */
const CONFIRMED_WITHIN_MS = 10 * WATCH_EVERY_MS;

interface WatchAlert {
  level: 'failure' | 'recovery';
  /** Null at its start. */
  downMs: number | null;
}

interface Check {
  isOver: boolean;
  now: number;
  isMuted: boolean;
  /** Null: no reminders. */
  remindHours: number | null;
}

/** An alert that a maintenance window muted is raised again after its end. */
export function followWatch(
  state: WatchState,
  { isOver, now, isMuted, remindHours }: Check,
): { state: WatchState; alert: WatchAlert | null } {
  const { seenAt, since, notifiedAt } = state;
  if (!isOver) {
    const alert: WatchAlert | null =
      since === null ? null : { level: 'recovery', downMs: lasted(since, now) };
    return { state: seenAt === null && since === null ? state : NOTHING_SEEN, alert };
  }
  const sentAt = isMuted ? null : now;
  if (since === null) {
    const age = seenAt === null ? 0 : now - seenAt;
    if (age <= 0 || age > CONFIRMED_WITHIN_MS)
      return { state: { ...NOTHING_SEEN, seenAt: now }, alert: null };
    const opened = { seenAt, since: now, notifiedAt: sentAt };
    return { state: opened, alert: { level: 'failure', downMs: null } };
  }
  const isDue = remindHours !== null && now - (notifiedAt ?? now) >= remindHours * HOUR_MS;
  if (isMuted || (notifiedAt !== null && !isDue)) return { state, alert: null };
  const alert = { level: 'failure', downMs: lasted(since, now) } as const;
  return { state: { ...state, notifiedAt: now }, alert };
}

function lasted(since: number, now: number): number {
  const ms = Math.max(0, now - since);
  return ms - (ms % MINUTE_MS);
}

export function describeFailureRule({ percent, attempts }: FailureRule): string | null {
  if (percent === null) return null;
  return `Alerts when more than ${percent} % of the last ${attempts} attempts failed`;
}

export function describeBacklogRule({ minutes, jobs, pausedHours }: BacklogRule): string | null {
  const parts = [
    minutes === null
      ? null
      : `a job is overdue by more than ${describeDuration(minutes * MINUTE_MS)}`,
    jobs === null ? null : `more than ${countOf(jobs, 'due job waits', 'due jobs wait')}`,
    pausedHours === null
      ? null
      : `it is paused for more than ${describeDuration(pausedHours * HOUR_MS)}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : `Alerts when ${parts.join(' or ')}`;
}
