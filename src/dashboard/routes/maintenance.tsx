import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { readSourceChoice } from '../alerts/alert-filter.ts';
import {
  describeCovers,
  describeLocally,
  describeWindow,
  findOccurrence,
  tooManyWindows,
} from '../alerts/window-words.ts';
import { actionsColumn, type Column, DataTable } from '../lists/DataTable.tsx';
import { EmptyState } from '../lists/List.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { useMayNotify, useMayWork } from '../page/may-change.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Status, type StatusName } from '../parts/Status.tsx';
import { Time, useMoment } from '../parts/Time.tsx';
import type { MaintenanceWindowView, NamedSource, Work } from '../services.ts';
import { actOn, notFound, open } from '../serving/open.ts';
import { readOwnPath } from '../serving/own-path.ts';
import { formatUtc } from '../words/times.ts';
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

const states = {
  active: { name: 'muted', word: 'Active' },
  upcoming: { name: 'pending', word: 'Upcoming' },
  over: { name: 'idle', word: 'Ended' },
} satisfies Record<MaintenanceWindowView['state'], { name: StatusName; word: string }>;

function useWindowColumns(sources: readonly NamedSource[]): Column<MaintenanceWindowView>[] {
  const { now, timeZone } = useMoment();
  const mayWork = useMayWork();
  return [
    {
      head: 'Status',
      width: '108px',
      cell: ({ state }) => <Status {...states[state]} />,
    },
    {
      head: 'Name',
      isPlain: true,
      width: '170px',
      cell: ({ id, name }) =>
        mayWork ? (
          <Link to={`/maintenance/${id}/edit`} className="whole">
            {name}
          </Link>
        ) : (
          <span className="whole">{name}</span>
        ),
    },
    {
      head: 'When',
      cell: (window) => {
        const local = describeLocally(window, now, timeZone);
        return (
          <span className="two">
            <span className="num whole">{describeWindow(window)}</span>
            {local === null ? null : (
              <span className="muted num" title={local}>
                {local}
              </span>
            )}
          </span>
        );
      },
    },
    {
      head: 'Next',
      hiddenBelow: 600,
      width: '120px',
      givesWay: 2,
      cell: (window) => describeNext(window, now),
    },
    {
      head: 'Mutes',
      hiddenBelow: 600,
      isPlain: true,
      width: '190px',
      givesWay: 1,
      cell: (window) => (
        <span className="whole">
          {describeCovers(window, sources)}
          {window.pausesRuns ? <span className="muted">, pauses runs</span> : null}
        </span>
      ),
    },
    actionsColumn('132px', (window) => <Actions window={window} />),
  ];
}

function describeNext(window: MaintenanceWindowView, now: number): ReactNode {
  if (window.state === 'over') return <span className="muted">–</span>;
  if (window.state === 'upcoming') return <Time at={findOccurrence(window, now).from} />;
  return (
    <>
      ends <Time at={window.activeUntil} />
    </>
  );
}

function Actions({ window }: { window: MaintenanceWindowView }) {
  const { id, name, state, isWeekly, covers } = window;
  const mayEdit = useMayNotify() || covers !== 'team';
  return (
    <span className="row together">
      {mayEdit ? (
        <ButtonLink to={`/maintenance/${id}/edit`} variant="default" size="small">
          Edit
        </ButtonLink>
      ) : null}
      <MoreActions of={name} isSmall>
        <ConfirmDialog
          word="Delete"
          question={`Delete the maintenance window “${name}”?`}
          fields={{ intent: 'delete', id }}
        >
          {state === 'active'
            ? 'It ends at once, and you are notified of everything that started to fail during it and still fails. '
            : isWeekly
              ? 'It will not happen again: failures at that time send notifications again. '
              : ''}
          Crons and queues that another active window covers stay muted.
        </ConfirmDialog>
      </MoreActions>
    </span>
  );
}
