import { open } from '../serving/open.ts';
import { data, redirect } from 'react-router';
import { writeInstant } from '../alerts/window-form-values.ts';
import { notFound } from '../context.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import { notHere } from '../serving/not-here.ts';
import type { FieldErrors, Work } from '../services.ts';
import type { ShownTest } from '../runs/run-text.ts';
import { describeLatest, readEditForm, tooLate } from '../work-forms/edit-waiting-job.ts';
import { JobForm } from '../work-forms/JobForm.tsx';
import { formValuesOfDraft } from '../work-forms/read-forms.ts';
import { testJob } from '../work-forms/test-drafts.ts';
import type { JobFormValues } from '../work-forms/form-values.ts';
import type { Route } from './+types/jobs.$id.edit.ts';

/** The form of a job that waits (§3.2). A job that no longer waits is shown instead. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const { record: job, again } =
    (await work.readJobDetail(team.id, params.id)) ??
    (await notHere(context, (teamId) => work.findJob(teamId, params.id)));
  if (job.status !== 'pending') return redirect(`/jobs/${job.id}`);
  const formValues: JobFormValues = {
    ...formValuesOfDraft(again),
    scheduled_at: writeInstant(job.scheduledAt),
  };
  return {
    id: job.id,
    latest: describeLatest(job),
    formValues,
    queues: await nameQueues(work, team.id, job.queue),
  };
}

/** The names of the queues to choose from. The job's own queue is included even if it is paused. */
async function nameQueues(work: Work, teamId: string, own: string): Promise<string[]> {
  const offered = (await work.listOfferedQueues(teamId)).map(({ name }) => name);
  return offered.includes(own) ? offered : [own, ...offered];
}

type Answer = { formValues: JobFormValues; errors?: FieldErrors; test?: ShownTest };

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, form, intent, say } = open(context);
  const job = (await work.findJob(team.id, params.id)) ?? notFound();
  const reading = readEditForm(form, job);
  const { formValues } = reading;
  const refuse = (errors: FieldErrors) => data<Answer>({ formValues, errors }, { status: 422 });
  if (!reading.ok) return refuse(reading.errors);
  if (intent === 'test')
    return data<Answer>({ formValues, test: await testJob(work, team.id, reading) });
  const { kind } = await work.editJob(team.id, job.id, reading.input);
  const page = `/jobs/${job.id}`;
  switch (kind) {
    case 'done':
      return say(page, 'The job is saved.');
    case 'no-queue':
      return refuse({ queue: ['There is no such queue any more. Choose another.'] });
    case 'unreadable':
      return refuse({ headers: [`${job.unreadable} Enter them anew.`] });
    case 'too-late':
      return refuse({ scheduled_at: [tooLate(job)] });
    case 'not-pending':
      return say(page, {
        kind: 'failed',
        text: 'The job has started by now. Nothing was changed.',
      });
    case 'not-found':
      return notFound();
  }
}

export default function EditJob({ loaderData, actionData }: Route.ComponentProps) {
  const { id, latest, queues } = loaderData;
  const name = `Job ${id.slice(-8)}`;
  const answer: Answer = actionData ?? { formValues: loaderData.formValues };
  return (
    <>
      <PageHeader title={`Edit ${name}`} parent={{ to: `/jobs/${id}`, text: name }} />
      <JobForm
        formValues={answer.formValues}
        errors={answer.errors}
        queues={queues}
        pausedCount={0}
        edits={{ id, latest }}
        outcome={answer.test ? <TestOutcome outcome={answer.test} /> : null}
      />
    </>
  );
}
