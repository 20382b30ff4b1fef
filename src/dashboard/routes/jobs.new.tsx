import { open } from '../serving/open.ts';
import { data } from 'react-router';
import type { HeaderList } from '#domain/exchange';
import { orTeamFull } from '../serving/team-full.ts';
import { JobForm } from '../work-forms/JobForm.tsx';
import { fillJobFromPaste, type Pasted } from '../work-forms/paste.ts';
import { takeLinkedUrl } from '../work-forms/linked-url.ts';
import { PasteBox } from '../work-forms/PasteBox.tsx';
import { readJobForm, formValuesOfDraft } from '../work-forms/read-forms.ts';
import { testJob } from '../work-forms/test-drafts.ts';
import { emptyJob, type JobFormValues } from '../work-forms/form-values.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { readText } from '../forms/read-form.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import type { FieldErrors, Work } from '../services.ts';
import type { ShownTest } from '../runs/run-text.ts';
import type { Route } from './+types/jobs.new.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const search = url.searchParams;
  const from = search.get('from');
  const [source, offered, queues] = await Promise.all([
    from ? work.readJobDetail(team.id, from) : null,
    work.listOfferedQueues(team.id),
    work.listQueues(team.id),
  ]);
  const formValues: JobFormValues = source
    ? formValuesOfDraft(source.again)
    : { ...emptyJob, queue: search.get('queue') ?? '' };
  return {
    ...takeLinkedUrl(formValues, search),
    from: source?.record.id ?? null,
    queues: offered.map(({ name }) => name),
    pausedCount: queues.length - offered.length,
  };
}

type Answer = {
  formValues: JobFormValues;
  errors?: FieldErrors;
  test?: ShownTest;
  pasted?: Pasted;
};

export async function action({ context }: Route.ActionArgs) {
  const { team, work, form, intent, say } = open(context);
  const reading = readJobForm(form, await findStored(work, team.id, readText(form, 'from')));
  const { formValues } = reading;
  if (intent === 'paste')
    return data<Answer>(fillJobFromPaste(readText(form, 'paste'), formValues));
  if (!reading.ok) return data<Answer>({ formValues, errors: reading.errors }, { status: 422 });
  if (intent === 'test')
    return data<Answer>({ formValues, test: await testJob(work, team.id, reading) });
  // A queue may have been paused while the form was open.
  const queue = await work.findQueueByName(team.id, reading.input.queue);
  if (queue?.isPaused) {
    const errors = { queue: [`The queue “${queue.name}” is paused. Enable it or choose another.`] };
    return data<Answer>({ formValues, errors }, { status: 422 });
  }
  const { made, errors } = await orTeamFull(work.createJob(team.id, reading.input));
  if (errors) return data<Answer>({ formValues, errors }, { status: 422 });
  return say(`/jobs/${made.jobId}`, 'The job is created.');
}

/** The headers of the job that the new one is made from. They replace values that the form shows masked. */
async function findStored(work: Work, teamId: string, from: string): Promise<HeaderList> {
  return from === '' ? [] : ((await work.findJob(teamId, from))?.headers ?? []);
}

export default function NewJob({ loaderData, actionData }: Route.ComponentProps) {
  const answer: Answer = actionData ?? { formValues: loaderData.formValues };
  const { pasted } = answer;
  const { from, queues, pausedCount } = loaderData;
  return (
    <>
      <PageHeader
        title={from ? 'Create job again' : 'Create job'}
        parent={{ to: '/jobs', text: 'Jobs' }}
      />
      <JobForm
        // A paste must refill fields that already hold typed text, so the form is created anew.
        key={pasted ? JSON.stringify(answer.formValues) : from}
        formValues={answer.formValues}
        urlNote={pasted ? undefined : loaderData.urlNote}
        errors={answer.errors}
        queues={queues}
        pausedCount={pausedCount}
        from={from}
        paste={
          from ? null : (
            <PasteBox
              text={pasted?.text}
              problem={pasted?.problem}
              notes={pasted?.notes}
              example={`curl -X POST https://api.example.com/orders/42/ship -d '{"notify": true}'`}
            />
          )
        }
        outcome={answer.test ? <TestOutcome outcome={answer.test} /> : null}
      />
    </>
  );
}
