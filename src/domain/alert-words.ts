import type { AlertLevel } from './alert-streak.ts';
import { countOf } from './amounts.ts';
import { describeDuration } from './duration-words.ts';

/**
 * `reminder`: the failure continues. `slow`: about how long runs take. `stopped`: the failure paused the cron.
 * `certificate`: a target's ends soon.
 */
export type AlertKind = 'reminder' | 'slow' | 'stopped' | 'certificate';

/** Independent of failed runs and their recoveries. */
export function isAside(kind: AlertKind | null): kind is 'slow' | 'certificate' {
  return kind === 'slow' || kind === 'certificate';
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

/** The end of a sentence that begins with the source's name. Alerts of single jobs have other texts. */
export function describeEvent({ kind, level, source, failedRuns, downMs }: AlertFacts): string {
  const after = `after ${describeDuration(downMs ?? 0)}`;
  if (kind === 'certificate') return 'has a target whose certificate ends soon';
  if (kind === 'slow') {
    if (downMs === null) return 'is slow';
    return level === 'recovery' ? `is as fast as before ${after}` : `is still slow ${after}`;
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
