import { ButtonLink } from '../parts/Button.tsx';
import { readSourceChoice } from '../alerts/alert-filter.ts';
import { MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { useWindowColumns } from '../alerts/WindowTable.tsx';
import { readOwnPath } from '../serving/own-path.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { EmptyState } from '../lists/List.tsx';
import { useMayNotify } from '../page/may-change.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { formatUtc } from '../words/times.ts';
import { tooManyWindows } from '../alerts/window-words.ts';
import { actOn, notFound, open } from '../serving/open.ts';
import type { Work } from '../services.ts';
import type { Route } from './+types/maintenance.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const [windows, sources] = await Promise.all([
    work.listWindows(team.id),
    work.listAlertSources(team.id),
  ]);
  return { windows, sources };
}

export function action({ context }: Route.ActionArgs) {
  const { team, work, field, form, intent, say } = open(context);
  return actOn(intent, {
    start: async () => {
      const to = readOwnPath(form.get('next')) ?? '/maintenance';
      const covers = await readReach(work, team.id, field('source'));
      const outcome = await work.startMaintenanceNow(team.id, covers);
      if (outcome.kind !== 'done') return say(to, { kind: 'failed', text: tooManyWindows });
      return say(to, `Alerts are muted until ${formatUtc(outcome.window.endsAt)}. Runs continue.`);
    },
    delete: async () => {
      if (!(await work.deleteWindow(team.id, field('id')))) notFound();
      return say('/maintenance', 'The maintenance window is deleted. It mutes nothing any more.');
    },
  });
}

async function readReach(work: Work, teamId: string, source: string) {
  if (source === '') return 'team';
  const choice = readSourceChoice(source);
  const own = await work.listAlertSources(teamId);
  const found = own.find(({ kind, id }) => kind === choice?.kind && id === choice.id) ?? notFound();
  return [{ kind: found.kind, id: found.id }];
}

export default function Maintenance({ loaderData }: Route.ComponentProps) {
  const { windows, sources } = loaderData;
  const columns = useWindowColumns(sources);
  const mayMuteTeam = useMayNotify();
  const create = <ButtonLink to="/maintenance/new">Create window</ButtonLink>;
  return (
    <>
      <PageHeader
        title="Maintenance"
        every={10}
        note="During a window alerts are recorded as muted, without notifications. Runs continue, unless the window pauses them."
        more={mayMuteTeam ? <MuteForAnHour /> : null}
        action={windows.length > 0 ? create : null}
      />
      {windows.length === 0 ? (
        <EmptyState
          title="No maintenance windows yet"
          example="Database upgrade   Every Saturday, 22:00–23:00 UTC   Whole team"
          action={create}
        >
          During work on a target, its failures are expected. A maintenance window mutes the alerts
          of chosen crons and queues, or of the whole team, once or every week. Only an admin can
          mute the whole team.
        </EmptyState>
      ) : (
        <DataTable caption="Maintenance windows" columns={columns} rows={windows} />
      )}
    </>
  );
}
