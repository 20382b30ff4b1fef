import { writeInstant } from '#domain/run-search';

export function pageOfRun(kind: 'job' | 'execution', id: string): string {
  return kind === 'job' ? `/jobs/${id}` : `/executions/${id}`;
}

type Step = { from: number; to: number };

/** @param of `queue:<id>` or `cron:<id>`; default: the team */
export function runsOf({ from, to }: Step, of?: string): string {
  const params = new URLSearchParams(of === undefined ? {} : { of });
  params.set('from', writeInstant(from));
  params.set('to', writeInstant(to + 999));
  return `/runs?${params.toString()}`;
}
