/** What the buttons of the jobs pages do, and what is said of it. */
import type { Toast } from '../cookies.ts';
import { describeBounded } from '../parts/amounts.ts';
import { readText } from '../parts/readForm.ts';
import type { BulkKind, BulkOutcome, JobSearch, Work } from '../services.ts';

const kinds = ['fire', 'retry', 'delete'] as const;

const words: Readonly<Record<BulkKind, { done: string; wrongState: string }>> = {
  fire: { done: 'fired', wrongState: 'no longer pending' },
  retry: { done: 'retried', wrongState: 'not failed' },
  delete: { done: 'deleted', wrongState: 'neither pending nor failed any more' },
};

export function readKind(form: FormData): BulkKind | null {
  return kinds.find((kind) => kind === readText(form, 'intent')) ?? null;
}

/** Does it to one job, to those that were ticked, or to all that match; null where the form names nothing. */
export async function actOnJobs(
  work: Work,
  teamId: string,
  { kind, form, search }: { kind: BulkKind; form: FormData; search: JobSearch },
): Promise<Toast> {
  const one = readText(form, 'job');
  if (one !== '') return actOnOne(work, teamId, kind, one);
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  if (form.get('all') === '1')
    return describeBulk(kind, await work.startBulk(teamId, kind, search));
  if (ids.length === 0) return { kind: 'note', text: 'No job is selected. Tick some first.' };
  return describeBulk(kind, await work.actOnJobs(teamId, kind, ids));
}

async function actOnOne(work: Work, teamId: string, kind: BulkKind, id: string): Promise<Toast> {
  if (kind === 'retry') {
    const outcome = await work.retryJob(teamId, id);
    if (outcome.kind !== 'done') return describeRefusal(kind, outcome.kind === 'not-found');
    return {
      kind: 'done',
      text: 'A new job is on its way. The failed one stays as it was.',
      href: `/jobs/${outcome.jobId}`,
      linkText: 'Look at it',
    };
  }
  const outcome = await (kind === 'fire' ? work.fireJob(teamId, id) : work.deleteJob(teamId, id));
  if (outcome.kind !== 'done') return describeRefusal(kind, outcome.kind === 'not-found');
  return {
    kind: 'done',
    text: kind === 'fire' ? 'The job is due now.' : 'The job is deleted.',
  };
}

function describeRefusal(kind: BulkKind, isGone: boolean): Toast {
  return {
    kind: 'failed',
    text: isGone
      ? 'That job is no longer here. Nothing was changed.'
      : `The job is ${words[kind].wrongState}. Nothing was changed.`,
  };
}

function describeBulk(kind: BulkKind, outcome: BulkOutcome): Toast {
  if (outcome.kind === 'refused') return { kind: 'failed', text: outcome.error };
  if (outcome.kind === 'started') {
    const total = describeBounded(outcome.task.total, 'job is', 'jobs are');
    return {
      kind: 'note',
      text: `${total} being ${words[kind].done}. The progress is shown above the list.`,
    };
  }
  const count = describeBounded({ count: outcome.done, isMore: false }, 'job is', 'jobs are');
  const skipped =
    outcome.skipped === 0
      ? ''
      : ` ${describeBounded({ count: outcome.skipped, isMore: false }, 'was', 'were')} left alone: ${words[kind].wrongState}.`;
  return {
    kind: outcome.done === 0 ? 'note' : 'done',
    text: `${count} ${words[kind].done}.${skipped}`,
  };
}
