import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Column } from '../parts/DataTable.tsx';
import { Form } from '../parts/Form.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Alert } from '../services.ts';
import classes from './Alerts.module.css';
import { describeAlert, describeCause, pathOfRun, pathOfSource } from './alertWords.ts';

export const alertColumns: Column<Alert>[] = [
  {
    key: 'level',
    head: 'Status',
    width: '104px',
    cell: ({ level }) => <Status name={level} />,
  },
  { key: 'what', head: 'What', cell: (alert) => <What alert={alert} /> },
  {
    key: 'source',
    head: 'Source',
    width: '84px',
    givesWay: 1,
    cell: (alert) => <Source alert={alert} />,
  },
  {
    key: 'notice',
    head: 'Notice',
    width: '104px',
    givesWay: 2,
    cell: (alert) => <Delivery alert={alert} />,
  },
  {
    key: 'when',
    head: 'When, UTC',
    width: '112px',
    cell: ({ raisedAt }) => <Time at={raisedAt} />,
  },
  {
    key: 'actions',
    head: 'Actions',
    width: '128px',
    cell: (alert) => <Mark alert={alert} />,
  },
];

/** For a page whose form does something else. */
export const alertColumnsToRead = alertColumns.filter(({ key }) => key !== 'actions');

/** What happened, with the way to the run. */
function What({ alert }: { alert: Alert }) {
  return (
    <span className={classes.what} data-unread={!alert.isRead || undefined}>
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
  );
}

function Source({ alert: { source } }: { alert: Alert }) {
  if (source.kind === 'team') return 'Team';
  return (
    <Link to={pathOfSource(source)} title={source.name}>
      {source.kind === 'cron' ? 'Cron' : 'Queue'}
      <span className="sr-only"> {source.name}</span>
    </Link>
  );
}

function Delivery({ alert }: { alert: Alert }) {
  if (alert.level === 'usage') return <span className="muted">In the app only</span>;
  const { delivery, mutedBy } = alert;
  switch (delivery) {
    case 'sent':
      return 'Sent';
    case 'pending':
      return <Status name="pending" word="Waiting" />;
    case 'failed':
      return <Status name="failed" word="Not sent" />;
    case 'muted':
      return (
        <span title={`By the maintenance window “${mutedBy ?? ''}”`}>
          <Status name="muted" />
        </span>
      );
  }
}

function Mark({ alert }: { alert: Alert }) {
  const [intent, word, variant] = alert.isRead
    ? ['unread', 'Mark unread', 'quiet']
    : ['read', 'Mark read', 'default'];
  return (
    <Form preventScrollReset>
      <input type="hidden" name="id" value={alert.id} />
      <Button type="submit" name="intent" value={intent} variant={variant} size="compact-xs">
        {word}
      </Button>
    </Form>
  );
}
