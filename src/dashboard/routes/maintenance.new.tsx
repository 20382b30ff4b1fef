import { open } from '../serving/open.ts';
import { readSourceChoice } from '../alerts/alert-filter.ts';
import { saveWindow } from '../alerts/save-window.ts';
import { WindowPage } from '../alerts/WindowPage.tsx';
import { beginFormValues } from '../alerts/window-form-values.ts';
import { may } from '#people/roles';
import type { Route } from './+types/maintenance.new.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const sources = await work.listAlertSources(team.id);
  const asked = url.searchParams.get('source') ?? '';
  const choice = readSourceChoice(asked);
  const isOwn = sources.some(({ kind, id }) => kind === choice?.kind && id === choice.id);
  return {
    sources,
    formValues: beginFormValues(now, isOwn ? asked : null, may(team.role, 'notifications')),
  };
}

export async function action({ context }: Route.ActionArgs) {
  return saveWindow(context, (work, teamId, input) => work.createWindow(teamId, input), 'created');
}

export default function NewWindow({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <WindowPage
      title="Create maintenance window"
      word="Create window"
      loaded={loaderData}
      answer={actionData}
    />
  );
}
