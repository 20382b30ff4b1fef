import type { AlertLevel } from './alert-streak.ts';
import { countOf } from '../base/amounts.ts';
import { describeDuration } from '../base/duration-words.ts';
import { WATCH_KINDS, type WatchKind } from './queue-watch.ts';

/**
 * `reminder`: the failure continues. `slow`: about how long runs take. `stopped`: the failure paused the cron.
 * `certificate`: a target's ends soon. `WatchKind`: about a queue as a whole.
 */
export type AlertKind = 'reminder' | 'slow' | 'stopped' | 'certificate' | WatchKind;

/** Such alerts have no run. */
export function isWatchKind(kind: AlertKind | null): kind is WatchKind {
  return WATCH_KINDS.some((each) => each === kind);
}

/** Independent of failed runs and their recoveries; nobody but the channels is notified. */
export function isAside(kind: AlertKind | null): kind is 'slow' | 'certificate' | WatchKind {
  return kind === 'slow' || kind === 'certificate' || isWatchKind(kind);
}

/** Its `downMs` is how long it lasts so far. */
export function isContinued({
  kind,
  level,
  downMs,
}: Pick<AlertFacts, 'kind' | 'level' | 'downMs'>) {
  if (kind === 'reminder') return true;
  return isAside(kind) && level !== 'recovery' && downMs !== null;
}

export const LEVEL_NAMES: Record<AlertLevel, string> = {
  warning: 'Warning',
  failure: 'Failure',
  recovery: 'Recovery',
};

interface AlertFacts {
  kind: AlertKind | null;
  level: AlertLevel;
  source: { kind: 'cron' | 'queue' };
  failedRuns: number | null;
  downMs: number | null;
}

/** At its start, while it lasts, at its end. */
const WATCH_WORDS: Record<WatchKind, readonly [string, string, string]> = {
  backlog: ['does not drain', 'still does not drain', 'drains again'],
  failure_rate: ['fails too often', 'still fails too often', 'fails less often'],
};

/** Follows the source's name. Alerts of single jobs have other texts. */
export function describeEvent({ kind, level, source, failedRuns, downMs }: AlertFacts): string {
  const after = `after ${describeDuration(downMs ?? 0)}`;
  if (kind === 'certificate') return 'has a target whose certificate ends soon';
  if (kind === 'slow') {
    if (downMs === null) return 'is slow';
    return level === 'recovery' ? `is as fast as before ${after}` : `is still slow ${after}`;
  }
  if (isWatchKind(kind)) {
    const [begun, continued, ended] = WATCH_WORDS[kind];
    if (level === 'recovery') return `${ended} ${after}`;
    return downMs === null ? begun : `${continued} ${after}`;
  }
  if (kind === 'stopped') return `was stopped after ${failedInARow(failedRuns ?? 0)}`;
  if (kind === 'reminder')
    return `${source.kind === 'queue' ? 'still has failed jobs' : 'still fails'} ${after}`;
  if (level === 'recovery') return `works again ${after}`;
  const isStreak = level === 'failure' && failedRuns !== null && failedRuns > 1;
  return isStreak ? `failed ${failedRuns} times in a row` : 'failed';
}

export function failedInARow(runs: number): string {
  return countOf(runs, 'failed run', 'failed runs in a row');
}
