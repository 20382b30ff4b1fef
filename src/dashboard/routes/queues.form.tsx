import { HTTP_METHODS } from '#domain/exchange';
import { LIMITS } from '#domain/limits';
import { may } from '#people/roles';
import { isSendableUrl } from '#work/fields';
import { silencesFailures } from '#work/verbs';
import { useFormAnswer } from '../forms/Form.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { shortenTest, type ShownTest } from '../runs/run-text.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import { notFound, notHere, open, orTeamFull } from '../serving/open.ts';
import { newQueue, valuesOfQueue } from '../work-forms/form-values.ts';
import { QueueForm } from '../work-forms/QueueForm.tsx';
import { readQueueForm } from '../work-forms/read-forms.ts';
import type { Route } from './+types/queues.form.ts';

/** `/queues/new`, `/queues/:id/edit` */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const choices = await work.listChannelChoices(team.id);
  const { id } = params;
  if (id === undefined) return { queue: null, values: newQueue, choices };
  const find = (teamId: string) => work.findQueue(teamId, id);
  const queue = (await find(team.id)) ?? (await notHere(context, find));
  return { queue: { id, name: queue.name }, values: valuesOfQueue(queue), choices };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, field, form, intent, show, refuse, say } = open(context);
  const present =
    params.id === undefined ? null : ((await work.findQueue(team.id, params.id)) ?? notFound());
  // A test needs no name.
  const reading = readQueueForm(form, present?.name ?? (intent === 'test' ? 'test' : undefined));
  if (!reading.ok) return refuse(reading.errors);
  const { name, change } = reading.input;
  if (intent === 'test') {
    const method = HTTP_METHODS.find((known) => known === field('test_method')) ?? 'GET';
    const url = field('test_url').trim();
    if (!isSendableUrl(url))
      return refuse({ test_url: ['Enter the URL that the request goes to.'] });
    const { timeoutSeconds = LIMITS.timeoutSeconds.initial, assertions = [] } = change;
    const draft = { kind: 'queue' as const, method, url, timeoutSeconds, assertions };
    return show({ test: shortenTest(await work.testRun(team.id, draft)) });
  }
  if (!may(team.role, 'notifications') && silencesFailures(change, present))
    return refuse({
      failure_channels: ['Choose a channel for failures. Only an admin can choose none.'],
    });
  if (present) {
    if (!(await work.editQueue(team.id, present.id, change))) notFound();
    const text = 'The settings are saved. They apply to waiting jobs, too.';
    return say(`/queues/${present.id}`, text);
  }
  // Saving would change the existing queue.
  if (await work.findQueueByName(team.id, name))
    return refuse({ queue: ['There is a queue of that name already.'] });
  const { made, errors } = await orTeamFull(work.setQueue(team.id, name, change));
  if (errors) return refuse(errors);
  return say(`/queues/${made.id}`, `The queue “${name}” is created.`);
}

export default function QueueFormPage({ loaderData }: Route.ComponentProps) {
  const { queue, values, choices } = loaderData;
  const { test } = useFormAnswer<{ test: ShownTest }>();
  const cancelTo = queue ? `/queues/${queue.id}` : '/queues';
  return (
    <>
      <PageHeader
        title={queue ? `Edit ${queue.name}` : 'Create queue'}
        parent={{ to: cancelTo, text: queue?.name ?? 'Queues' }}
      />
      <QueueForm
        values={values}
        name={queue?.name ?? null}
        cancelTo={cancelTo}
        choices={choices}
        outcome={test ? <TestOutcome outcome={test} /> : null}
      />
    </>
  );
}
