import { open } from '../serving/open.ts';
import { data } from 'react-router';
import { notFound } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import { QueueForm } from '../work-forms/QueueForm.tsx';
import { readQueueForm, formValuesOfQueue } from '../work-forms/read-forms.ts';
import { answerQueueForm, type QueueAnswer } from '../work-forms/queue-answer.ts';
import { noTestRequest } from '../work-forms/form-values.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import type { Route } from './+types/queues.$id.edit.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const find = (teamId: string) => work.findQueue(teamId, params.id);
  const queue = (await find(team.id)) ?? (await notHere(context, find));
  const choices = await work.listChannelChoices(team.id);
  return { id: queue.id, name: queue.name, formValues: formValuesOfQueue(queue), choices };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, form, say } = open(context);
  const queue = (await work.findQueue(team.id, params.id)) ?? notFound();
  const reading = readQueueForm(form, queue.name);
  const answer = await answerQueueForm(context, reading, queue);
  if (answer || !reading.ok)
    return data<QueueAnswer | null>(answer, { status: answer?.errors ? 422 : 200 });
  if (!(await work.editQueue(team.id, queue.id, reading.input.change))) notFound();
  return say(
    `/queues/${queue.id}`,
    'The settings are saved. They hold for what waits already, too.',
  );
}

export default function EditQueue({ loaderData, actionData }: Route.ComponentProps) {
  const { id, name, formValues } = loaderData;
  return (
    <>
      <PageHeader title={`Edit ${name}`} parent={{ to: `/queues/${id}`, text: name }} />
      <QueueForm
        formValues={actionData?.formValues ?? formValues}
        errors={actionData?.errors}
        word="Save"
        cancelTo={`/queues/${id}`}
        isNew={false}
        choices={loaderData.choices}
        testRequest={actionData?.testRequest ?? noTestRequest}
        outcome={actionData?.test ? <TestOutcome outcome={actionData.test} /> : null}
      />
    </>
  );
}
