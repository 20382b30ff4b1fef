import { data } from 'react-router';
import { readSourceChoice } from '../alerts/alertFilter.ts';
import { WindowForm } from '../alerts/WindowForm.tsx';
import { readWindowForm, tooManyWindows } from '../alerts/windowForm.ts';
import { beginTyped } from '../alerts/windowTyped.ts';
import { requestFacts, services, signedIn } from '../context.ts';
import { redirectWithToast } from '../cookies.ts';
import { PageHeader } from '../parts/PageHeader.tsx';
import type { Route } from './+types/maintenance.new.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const sources = await context.get(services).work.listAlertSources(team.id);
  const asked = url.searchParams.get('source');
  const choice = readSourceChoice(asked);
  const isOwn = sources.some(({ kind, id }) => kind === choice?.kind && id === choice.id);
  return { sources, typed: beginTyped(context.get(requestFacts).now, isOwn ? asked : null) };
}

export async function action({ request, context }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const own = await work.listAlertSources(team.id);
  const reading = readWindowForm(await request.formData(), own);
  if (!reading.ok) return data(reading, { status: 422 });
  const outcome = await work.createWindow(team.id, reading.input);
  if (outcome.kind !== 'done') {
    const errors = { name: [tooManyWindows] };
    return data({ ...reading, ok: false as const, errors }, { status: 422 });
  }
  return redirectWithToast(
    '/maintenance',
    { kind: 'done', text: `The maintenance window “${reading.input.name}” is created.` },
    context.get(requestFacts).baseUrl,
  );
}

export default function NewWindow({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <>
      <PageHeader
        title="Create maintenance window"
        parent={{ to: '/maintenance', text: 'Maintenance' }}
      />
      <WindowForm
        typed={actionData?.typed ?? loaderData.typed}
        errors={actionData && !actionData.ok ? actionData.errors : undefined}
        sources={loaderData.sources}
        word="Create window"
      />
    </>
  );
}
