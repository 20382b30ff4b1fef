/** Links of plots and pages to filtered lists of runs. */
import { writeInstant } from '#domain/run-search';

export function pageOfRun(kind: 'job' | 'execution', id: string): string {
  return kind === 'job' ? `/jobs/${id}` : `/executions/${id}`;
}

type Step = { from: number; to: number };

/**
 * The runs that ended in a step.
 *
 * @param of  `queue:<id>` or `cron:<id>`; of the whole team without it
 */
export function runsOf({ from, to }: Step, of?: string): string {
  const params = new URLSearchParams(of === undefined ? {} : { of });
  params.set('from', writeInstant(from));
  params.set('to', writeInstant(to + 999));
  return `/runs?${params.toString()}`;
}
