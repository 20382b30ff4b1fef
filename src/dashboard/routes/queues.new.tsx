import { open } from '../serving/open.ts';
import { DEFAULT_QUEUE_SETTINGS } from '#domain/queue-settings';
import { data } from 'react-router';
import { orTeamFull } from '../serving/team-full.ts';
import { QueueForm } from '../work-forms/QueueForm.tsx';
import { readQueueForm, formValuesOfQueue } from '../work-forms/read-forms.ts';
import { answerQueueForm, type QueueAnswer } from '../work-forms/queue-answer.ts';
import { readTestRequest } from '../work-forms/test-drafts.ts';
import { noTestRequest } from '../work-forms/form-values.ts';
import { readText } from '../forms/read-form.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import type { Route } from './+types/queues.new.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const choices = await work.listChannelChoices(team.id);
  return { formValues: formValuesOfQueue({ ...DEFAULT_QUEUE_SETTINGS, name: '' }), choices };
}

export async function action({ context }: Route.ActionArgs) {
  const { team, work, form, intent, say } = open(context);
  // A test does not need the queue's name.
  const isTest = intent === 'test';
  const reading = readQueueForm(form, isTest ? 'test' : undefined);
  const formValues = { ...reading.formValues, queue: readText(form, 'queue') };
  const answer = await answerQueueForm(context, { ...reading, formValues }, null);
  if (answer || !reading.ok)
    return data<QueueAnswer | null>(answer, { status: answer?.errors ? 422 : 200 });
  const { name, change } = reading.input;
  // Saving would change the existing queue, which is not what somebody who creates a queue wants.
  if (await work.findQueueByName(team.id, name)) {
    const errors = { queue: ['There is a queue of that name already.'] };
    return data<QueueAnswer | null>(
      { formValues, testRequest: readTestRequest(form), errors },
      { status: 422 },
    );
  }
  const { made, errors } = await orTeamFull(work.setQueue(team.id, name, change));
  if (errors) {
    const testRequest = readTestRequest(form);
    return data<QueueAnswer | null>({ formValues, testRequest, errors }, { status: 422 });
  }
  return say(`/queues/${made.id}`, `The queue “${name}” is created.`);
}

export default function NewQueue({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <>
      <PageHeader title="Create queue" parent={{ to: '/queues', text: 'Queues' }} />
      <QueueForm
        formValues={actionData?.formValues ?? loaderData.formValues}
        errors={actionData?.errors}
        word="Create queue"
        cancelTo="/queues"
        isNew
        choices={loaderData.choices}
        testRequest={actionData?.testRequest ?? noTestRequest}
        outcome={actionData?.test ? <TestOutcome outcome={actionData.test} /> : null}
      />
    </>
  );
}
