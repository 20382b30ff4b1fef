import { saveWindow } from '../alerts/saveWindow.ts';
import { WindowPage } from '../alerts/WindowPage.tsx';
import { typedOfWindow } from '../alerts/windowTyped.ts';
import { notFound, services, signedIn } from '../context.ts';
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

export async function action({ params: { id }, ...given }: Route.ActionArgs) {
  const { team } = given.context.get(signedIn);
  if (!(await given.context.get(services).work.findWindow(team.id, id))) notFound();
  return saveWindow(given, (work, teamId, input) => work.editWindow(teamId, id, input), 'changed');
}

export default function EditWindow({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <WindowPage
      title={`Edit ${loaderData.name}`}
      word="Save"
      loaded={loaderData}
      answer={actionData}
    />
  );
}
