import { ButtonLink } from '../parts/Button.tsx';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { actionsColumn, type Column } from '../lists/DataTable.tsx';
import { Status, type StatusName } from '../parts/Status.tsx';
import { useMayNotify, useMayWork } from '../page/may-change.ts';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Time, useMoment } from '../parts/Time.tsx';
import type { MaintenanceWindowView, NamedSource } from '../services.ts';
import { describeCovers, describeLocally, describeWindow, findOccurrence } from './window-words.ts';

const states = {
  active: { name: 'muted', word: 'Active' },
  upcoming: { name: 'pending', word: 'Upcoming' },
  over: { name: 'idle', word: 'Ended' },
} satisfies Record<MaintenanceWindowView['state'], { name: StatusName; word: string }>;

export function useWindowColumns(sources: readonly NamedSource[]): Column<MaintenanceWindowView>[] {
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
    <span className="row" style={{ flexWrap: 'nowrap', gap: 6 }}>
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
