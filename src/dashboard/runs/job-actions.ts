import { data } from 'react-router';
import { formatRate } from '#domain/team/rate';
import { readSpread } from '#work/resources/queue';
import { listIn, readText, valuesOf } from '../forms/values.ts';
import type { open } from '../serving/open.ts';
import type { BulkKind, BulkOutcome, BulkQuestion, JobSearch, Work } from '../services.ts';
import { countOf } from '../words/amounts.ts';

const kinds = ['fire', 'retry', 'delete'] as const;

const words: Readonly<Record<BulkKind, { done: string; wrongState: string }>> = {
  fire: { done: 'fired', wrongState: 'no longer pending' },
  retry: { done: 'resent', wrongState: 'not failed, or resent already' },
  delete: { done: 'deleted', wrongState: 'neither pending nor failed any more' },
};

export function readKind(form: FormData): BulkKind | null {
  return kinds.find((kind) => kind === readText(form, 'intent')) ?? null;
}

/** With the fields to send with its answer. */
export type AskedAgain = { question: BulkQuestion; fields: Field[] };

type Field = [name: string, value: string];

type Opened = Pick<ReturnType<typeof open>, 'form' | 'say' | 'team' | 'work'>;

type Asked = {
  kind: BulkKind;
  /** Null if a filter is invalid; then actions on all jobs are refused. */
  search: JobSearch | null;
  /** The page that shows the result. */
  here: string;
};

/** Answers with a page, or with a question for this one. */
export async function actOnJobs(opened: Opened, asked: Asked) {
  const { form, team, work } = opened;
  const { kind, search, here } = asked;
  const one = readText(form, 'job');
  if (one !== '') return actOnOne(opened, asked, one);
  const failed = (text: string) => opened.say(here, { kind: 'failed', text });
  const spread = readSpread(kind === 'retry' ? readText(form, 'rate') : '');
  if ('error' in spread) return failed(`${spread.error} Nothing was sent.`);
  const sendTo = readText(form, 'send_to') || undefined;
  const answers = { resent: readAnswer(form), ...spread, isTimed: form.has('timed') };
  if (form.get('all') === '1') {
    if (search === null) return failed('The filter can’t be read. Nothing was changed.');
    // Later jobs aren't touched.
    const text = readText(form, 'as_of');
    if (!/^\d{1,15}$/.test(text)) throw data(null, { status: 400 });
    const asOf = Number(text);
    const outcome = await work.startBulk(team.id, kind, search, { ...answers, asOf, sendTo });
    return answerBulk(opened, asked, outcome);
  }
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  if (ids.length === 0)
    return opened.say(here, { kind: 'note', text: 'No job is selected. Tick some first.' });
  return answerBulk(opened, asked, await work.actOnJobs(team.id, kind, ids, answers));
}

/** Fields that name the jobs. The form of the question repeats them. */
const chosenBy = ['job', 'id', 'all', 'as_of', 'group', 'send_to'];

function ask(form: FormData, question: BulkQuestion): { asks: AskedAgain } {
  const { spread } = question;
  const values = valuesOf(form);
  const fields = chosenBy.flatMap((name) =>
    listIn(values, name).map((value): Field => [name, value]),
  );
  const answer = readAnswer(form);
  if (answer !== 'ask') fields.push(['resent', answer]);
  if (spread) fields.push(['rate', formatRate(spread.rate)], ['timed', '1']);
  return { asks: { question, fields } };
}

function readAnswer(form: FormData): 'ask' | 'again' | 'leave' {
  const text = readText(form, 'resent');
  return text === 'again' || text === 'leave' ? text : 'ask';
}

async function actOnOne({ form, say, team, work }: Opened, { kind, here }: Asked, id: string) {
  const refuse = (isGone: boolean) => {
    const why = isGone ? 'That job is no longer here' : `The job is ${words[kind].wrongState}`;
    return say(here, { kind: 'failed', text: `${why}. Nothing was changed.` });
  };
  if (kind === 'retry') {
    const outcome = await work.retryJob(team.id, id, { again: readAnswer(form) === 'again' });
    if (outcome.kind === 'resent') {
      const total = { count: 1, isMore: false };
      return ask(form, { kind, total, resent: outcome.resent, spread: null });
    }
    if (outcome.kind !== 'done') return refuse(outcome.kind === 'not-found');
    return say(here, {
      kind: 'done',
      text: 'A new job was created. The failed one is unchanged.',
      href: `/jobs/${outcome.jobId}`,
      linkText: 'See the new job',
    });
  }
  const outcome = await (kind === 'fire' ? work.fireJob(team.id, id) : work.deleteJob(team.id, id));
  if (outcome.kind !== 'done') return refuse(outcome.kind === 'not-found');
  if (kind === 'fire') return say(here, await describeStart(work, team.id, id));
  return say(here === `/jobs/${id}` ? '/jobs' : here, 'The job is deleted.');
}

async function describeStart(work: Work, teamId: string, jobId: string): Promise<string> {
  if ((await work.readTeamPause(teamId)) !== null) {
    return 'The job starts when the team is resumed: everything is paused.';
  }
  const job = await work.findJob(teamId, jobId);
  const queue = job && (await work.findQueue(teamId, job.queueId));
  return queue?.isPaused ? 'The job starts when its queue is enabled.' : 'The job is due now.';
}

function answerBulk({ form, say }: Opened, { kind, here }: Asked, outcome: BulkOutcome) {
  switch (outcome.kind) {
    case 'refused':
      return say(here, { kind: 'failed', text: outcome.error });
    case 'asks':
      return ask(form, outcome.question);
    case 'started': {
      const total = countOf(outcome.task.total, 'job is', 'jobs are');
      const text = `${total} being ${words[kind].done}. The progress is shown above the list.`;
      return say(here, { kind: 'note', text });
    }
    case 'done': {
      const { done, skipped } = outcome;
      const left =
        skipped === 0
          ? ''
          : ` ${countOf(skipped, 'was', 'were')} skipped: ${words[kind].wrongState}.`;
      const text = `${countOf(done, 'job is', 'jobs are')} ${words[kind].done}.${left}`;
      return say(here, { kind: done === 0 ? 'note' : 'done', text });
    }
  }
}
