import { ActionButton } from '../forms/Form.tsx';
import { Link } from 'react-router';
import { actionsColumn, type Column, timeColumn } from '../lists/DataTable.tsx';
import { Status } from '../parts/Status.tsx';
import type { Alert } from '../services.ts';
import classes from './Alerts.module.css';
import { describeAlert, describeCause, pathOfRun, pathOfSource } from './alert-words.ts';

export const alertColumns: Column<Alert>[] = [
  {
    head: 'Level',
    width: '104px',
    cell: (alert) => <Status name={alert.level} />,
  },
  {
    head: 'What',
    cell: (alert) => (
      <span className="two">
        <span>
          {alert.isRead ? null : (
            <>
              <span className={classes.dot} aria-hidden="true" />
              <span className="sr-only">Unread: </span>
            </>
          )}
          <Link to={pathOfRun(alert)}>{describeAlert(alert)}</Link>
        </span>
        <span className="muted">{describeCause(alert)}</span>
      </span>
    ),
  },
  {
    head: 'Source',
    isPlain: true,
    hiddenBelow: 600,
    width: '160px',
    givesWay: 1,
    cell: ({ source }) =>
      source.kind === 'team' ? (
        'Team'
      ) : (
        <Link
          to={pathOfSource(source)}
          className="whole"
          aria-label={`${source.kind === 'cron' ? 'Cron' : 'Queue'} ${source.name}`}
        >
          {source.name}
        </Link>
      ),
  },
  {
    head: 'Notification',
    isPlain: true,
    width: '104px',
    givesWay: 2,
    cell: (alert) => <Delivery alert={alert} />,
  },
  timeColumn('When', ({ raisedAt }) => raisedAt, { isPlain: true }),
  actionsColumn('128px', ({ id, isRead }) => (
    <ActionButton
      fields={{ id }}
      preventScrollReset
      intent={isRead ? 'unread' : 'read'}
      variant={isRead ? 'quiet' : 'default'}
      size="small"
    >
      {isRead ? 'Mark unread' : 'Mark read'}
    </ActionButton>
  )),
];

function Delivery({ alert }: { alert: Alert }) {
  if (alert.level === 'usage') return <span className="muted">In the app only</span>;
  const { delivery, mutedBy } = alert;
  if (delivery === 'sent') return 'Sent';
  if (delivery === 'pending') return <Status name="pending" word="Waiting" />;
  if (delivery === 'failed') return <Status name="failed" word="Not sent" />;
  if (mutedBy === null) return <span className="muted">No channel is chosen</span>;
  return (
    <span title={`By the maintenance window “${mutedBy}”`}>
      <Status name="muted" />
    </span>
  );
}
