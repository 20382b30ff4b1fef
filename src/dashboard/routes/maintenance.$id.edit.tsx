import { open } from '../serving/open.ts';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { saveWindow } from '../alerts/save-window.ts';
import { WindowPage } from '../alerts/WindowPage.tsx';
import { formValuesOfWindow } from '../alerts/window-form-values.ts';
import { notFound } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import type { Route } from './+types/maintenance.$id.edit.ts';

const mostShown = 50;

export async function loader({ params, context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const [window, sources, muted, activity] = await Promise.all([
    work.findWindow(team.id, params.id),
    work.listAlertSources(team.id),
    work.listAlerts(team.id, { windowId: params.id, limit: mostShown }),
    work.listActivityOf(team.id, params.id),
  ]);
  if (!window) return notHere(context, (teamId) => work.findWindow(teamId, params.id));
  return { name: window.name, formValues: formValuesOfWindow(window), sources, muted, activity };
}

export async function action({ params: { id }, context }: Route.ActionArgs) {
  const { team, work } = open(context);
  if (!(await work.findWindow(team.id, id))) notFound();
  return saveWindow(
    context,
    (work, teamId, input) => work.editWindow(teamId, id, input),
    'changed',
  );
}

export default function EditWindow({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <>
      <WindowPage
        title={`Edit ${loaderData.name}`}
        word="Save"
        loaded={loaderData}
        answer={actionData}
        muted={loaderData.muted}
      />
      <ActivityPanel activity={loaderData.activity} />
    </>
  );
}
