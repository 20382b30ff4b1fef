import { writeInstant } from '#domain/runs/run-search';
import type { OutcomeStep } from '../services.ts';

export function pageOfRun(kind: 'job' | 'execution', id: string): string {
  return kind === 'job' ? `/jobs/${id}` : `/executions/${id}`;
}

export function hasRuns({ success, retried, failed }: OutcomeStep): boolean {
  return success + retried + failed > 0;
}

/**
 * To the runs of each step that has some.
 * @param of `queue:<id>` or `cron:<id>`; default: the team
 */
export function linksOf(steps: readonly OutcomeStep[], of?: string): (string | null)[] {
  return steps.map((step) => {
    if (!hasRuns(step)) return null;
    const params = new URLSearchParams(of === undefined ? {} : { of });
    params.set('from', writeInstant(step.from));
    params.set('to', writeInstant(step.to + 999));
    return `/runs?${params.toString()}`;
  });
}
