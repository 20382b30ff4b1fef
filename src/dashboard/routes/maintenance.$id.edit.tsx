import { data } from 'react-router';
import { WindowForm } from '../alerts/WindowForm.tsx';
import { readWindowForm } from '../alerts/windowForm.ts';
import { typedOfWindow } from '../alerts/windowTyped.ts';
import { notFound, requestFacts, services, signedIn } from '../context.ts';
import { redirectWithToast } from '../cookies.ts';
import { PageHeader } from '../parts/PageHeader.tsx';
import type { Route } from './+types/maintenance.$id.edit.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const [window, sources] = await Promise.all([
    work.findWindow(team.id, params.id),
    work.listAlertSources(team.id),
  ]);
  if (!window) notFound();
  return { name: window.name, typed: typedOfWindow(window), sources };
}

export async function action({ params, request, context }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  if (!(await work.findWindow(team.id, params.id))) notFound();
  const own = await work.listAlertSources(team.id);
  const reading = readWindowForm(await request.formData(), own);
  if (!reading.ok) return data(reading, { status: 422 });
  const outcome = await work.editWindow(team.id, params.id, reading.input);
  if (outcome.kind !== 'done') notFound();
  return redirectWithToast(
    '/maintenance',
    { kind: 'done', text: `The maintenance window “${reading.input.name}” is changed.` },
    context.get(requestFacts).baseUrl,
  );
}

export default function EditWindow({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <>
      <PageHeader
        title={`Edit ${loaderData.name}`}
        parent={{ to: '/maintenance', text: 'Maintenance' }}
      />
      <WindowForm
        typed={actionData?.typed ?? loaderData.typed}
        errors={actionData && !actionData.ok ? actionData.errors : undefined}
        sources={loaderData.sources}
        word="Save"
      />
    </>
  );
}
