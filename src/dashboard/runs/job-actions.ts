import { data } from 'react-router';
import { formatRate } from '#domain/team/rate';
import { readSpread } from '#work/resources/queue';
import type { Toast } from '../serving/cookies.ts';
import { countOf } from '../words/amounts.ts';
import { listIn, readText, valuesOf } from '../forms/values.ts';
import type { BulkKind, BulkOutcome, BulkQuestion, JobSearch, Work } from '../services.ts';

const kinds = ['fire', 'retry', 'delete'] as const;

const words: Readonly<Record<BulkKind, { done: string; wrongState: string }>> = {
  fire: { done: 'fired', wrongState: 'no longer pending' },
  retry: { done: 'resent', wrongState: 'not failed, or resent already' },
  delete: { done: 'deleted', wrongState: 'neither pending nor failed any more' },
};

export function readKind(form: FormData): BulkKind | null {
  return kinds.find((kind) => kind === readText(form, 'intent')) ?? null;
}

type JobsActed = { toast: Toast; asks: null } | { toast: null; asks: AskedAgain };

/** With the fields to send with its answer. */
export type AskedAgain = { question: BulkQuestion; fields: Field[] };

type Field = [name: string, value: string];

type Asked = {
  kind: BulkKind;
  form: FormData;
  /** Null if a filter is invalid; then actions on all jobs are refused. */
  search: JobSearch | null;
};

export async function actOnJobs(
  work: Work,
  teamId: string,
  { kind, form, search }: Asked,
): Promise<JobsActed> {
  const one = readText(form, 'job');
  if (one !== '') return actOnOne(work, teamId, { kind, form, id: one });
  const resent = readAnswer(form);
  const spread = readSpread(kind === 'retry' ? readText(form, 'rate') : '');
  if ('error' in spread) return say('failed', `${spread.error} Nothing was sent.`);
  const sendTo = readText(form, 'send_to') || undefined;
  const answers = { resent, ...spread, isTimed: form.has('timed') };
  if (form.get('all') === '1') {
    if (search === null) return say('failed', 'The filter can’t be read. Nothing was changed.');
    // Later jobs aren't touched.
    const text = readText(form, 'as_of');
    if (!/^\d{1,15}$/.test(text)) throw data(null, { status: 400 });
    const asOf = Number(text);
    const outcome = await work.startBulk(teamId, kind, search, { ...answers, asOf, sendTo });
    return describeBulk(kind, form, outcome);
  }
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  if (ids.length === 0) return say('note', 'No job is selected. Tick some first.');
  return describeBulk(kind, form, await work.actOnJobs(teamId, kind, ids, answers));
}

/** Fields that name the jobs. The form of the question repeats them. */
const chosenBy = ['job', 'id', 'all', 'as_of', 'group', 'send_to'];

function ask(form: FormData, question: BulkQuestion): JobsActed {
  const { spread } = question;
  const values = valuesOf(form);
  const fields = chosenBy.flatMap((name) =>
    listIn(values, name).map((value): Field => [name, value]),
  );
  const answer = readAnswer(form);
  if (answer !== 'ask') fields.push(['resent', answer]);
  if (spread) fields.push(['rate', formatRate(spread.rate)], ['timed', '1']);
  return { toast: null, asks: { question, fields } };
}

function say(kind: Toast['kind'], text: string): JobsActed {
  return { toast: { kind, text }, asks: null };
}

type Answer = 'ask' | 'again' | 'leave';

function readAnswer(form: FormData): Answer {
  const text = readText(form, 'resent');
  return text === 'again' || text === 'leave' ? text : 'ask';
}

async function actOnOne(
  work: Work,
  teamId: string,
  { kind, form, id }: { kind: BulkKind; form: FormData; id: string },
): Promise<JobsActed> {
  if (kind === 'retry') {
    const outcome = await work.retryJob(teamId, id, { again: readAnswer(form) === 'again' });
    if (outcome.kind === 'resent') {
      const total = { count: 1, isMore: false };
      return ask(form, { kind, total, resent: outcome.resent, spread: null });
    }
    if (outcome.kind !== 'done') return describeRefusal(kind, outcome.kind === 'not-found');
    const toast: Toast = {
      kind: 'done',
      text: 'A new job was created. The failed one is unchanged.',
      href: `/jobs/${outcome.jobId}`,
      linkText: 'See the new job',
    };
    return { toast, asks: null };
  }
  const outcome = await (kind === 'fire' ? work.fireJob(teamId, id) : work.deleteJob(teamId, id));
  if (outcome.kind !== 'done') return describeRefusal(kind, outcome.kind === 'not-found');
  if (kind === 'delete') return say('done', 'The job is deleted.');
  return say('done', await describeStart(work, teamId, id));
}

async function describeStart(work: Work, teamId: string, jobId: string): Promise<string> {
  if ((await work.readTeamPause(teamId)) !== null) {
    return 'The job starts when the team is resumed: everything is paused.';
  }
  const job = await work.findJob(teamId, jobId);
  const queue = job && (await work.findQueue(teamId, job.queueId));
  return queue?.isPaused ? 'The job starts when its queue is enabled.' : 'The job is due now.';
}

function describeRefusal(kind: BulkKind, isGone: boolean): JobsActed {
  return say(
    'failed',
    isGone
      ? 'That job is no longer here. Nothing was changed.'
      : `The job is ${words[kind].wrongState}. Nothing was changed.`,
  );
}

function describeBulk(kind: BulkKind, form: FormData, outcome: BulkOutcome): JobsActed {
  switch (outcome.kind) {
    case 'refused':
      return say('failed', outcome.error);
    case 'asks':
      return ask(form, outcome.question);
    case 'started': {
      const total = countOf(outcome.task.total, 'job is', 'jobs are');
      return say(
        'note',
        `${total} being ${words[kind].done}. The progress is shown above the list.`,
      );
    }
    case 'done': {
      const { done, skipped } = outcome;
      const left =
        skipped === 0
          ? ''
          : ` ${countOf(skipped, 'was', 'were')} skipped: ${words[kind].wrongState}.`;
      return say(
        done === 0 ? 'note' : 'done',
        `${countOf(done, 'job is', 'jobs are')} ${words[kind].done}.${left}`,
      );
    }
  }
}
