/** Where the columns of plots over time lead. */
import { writeJobSearch } from './job-search.ts';

type Step = { from: number; to: number };

/** All runs of a team that ended in a step. */
export function runsOf({ from, to }: Step): string {
  return `/runs?${new URLSearchParams({ from: writeTime(from), to: writeTime(to) }).toString()}`;
}

/** The attempts of a queue's jobs that ended in a step. */
export function jobsOfQueue(queueId: string, { from, to }: Step): string {
  return writeJobSearch({ tab: 'all', queueId, from, to: to - 1 });
}

/** `2026-11-21T09:00`, UTC */
function writeTime(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}
