import { Link } from 'react-router';
import { formatMilliseconds } from '#domain/duration-words';
import { BodyPeek } from '../parts/BodyPeek.tsx';
import { useClockBehind } from '../lists/clock-column.tsx';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { EmptyState } from '../lists/EmptyState.tsx';
import { OtherFaults, UnreadableFilter } from '../lists/FilterFault.tsx';
import type { FilterFaults } from '#domain/read-filters';
import { changeSearch, Pagination } from '../lists/Pagination.tsx';
import { Status, type StatusName } from '../parts/Status.tsx';
import { TabLinks } from '../page/TabLinks.tsx';
import { Time } from '../parts/Time.tsx';
import type { ExecutionPage, ExecutionListRow } from '../services.ts';
import { findOverlapping } from './overlap.ts';
import { describeOutcome } from './reasons.ts';

type Row = ExecutionListRow & { overlaps: boolean };

const tabs = [
  { name: 'All runs', status: null },
  { name: 'Success', status: 'success' },
  { name: 'Failed', status: 'failed' },
] as const;

/** A cron's runs, newest first. */
export function History({
  page,
  status,
  search,
  faults,
}: {
  page: ExecutionPage;
  status: 'success' | 'failed' | null;
  search: string;
  faults: FilterFaults | null;
}) {
  const withClock = useClockBehind(columns, 'at', timeOf);
  const overlapping = findOverlapping(page.executions);
  const rows = page.executions.map((row) => ({ ...row, overlaps: overlapping.has(row.id) }));
  const isUnreadable = faults?.['status'] !== undefined;
  return (
    <section aria-label="History">
      <TabLinks
        label="Runs by status"
        tabs={tabs.map((tab) => ({
          name: tab.name,
          to: changeSearch(search, { status: tab.status, after: null, before: null }),
          isCurrent: !isUnreadable && tab.status === status,
        }))}
      />
      <OtherFaults faults={faults} names={{ status: 'Status' }} />
      {isUnreadable ? (
        <UnreadableFilter />
      ) : page.executions.length === 0 ? (
        <EmptyState title={status ? `No run with this status` : 'No runs yet'}>
          {status
            ? 'Look at all runs to see the others.'
            : 'Runs stand here as soon as the schedule’s first time comes, or after Run now.'}
        </EmptyState>
      ) : (
        <DataTable caption="Runs" columns={withClock} rows={rows} keyOf={({ id }) => id} isLive />
      )}
      {isUnreadable ? null : <Pagination older={page.next} newer={page.previous} />}
    </section>
  );
}

const statusNames = {
  pending: 'pending',
  running: 'running',
  processing: 'running',
  success: 'success',
  failed: 'failed',
} satisfies Record<string, StatusName>;

export function executionStatus(status: ExecutionListRow['status']): StatusName {
  return statusNames[status];
}

const timeOf = ({ scheduledFor, createdAt }: ExecutionListRow) => scheduledFor ?? createdAt;

const columns: Column<Row>[] = [
  {
    key: 'status',
    head: 'Status',
    width: '110px',
    cell: ({ id, status }) => (
      <Link to={`/executions/${id}`}>
        <Status name={executionStatus(status)} />
      </Link>
    ),
  },
  {
    key: 'at',
    head: 'When, UTC',
    width: '112px',
    cell: (row) => <Time at={timeOf(row)} />,
  },
  {
    key: 'why',
    head: 'By',
    width: '92px',
    givesWay: 1,
    cell: ({ scheduledFor }) => (scheduledFor === null ? 'Run now' : 'Schedule'),
  },
  {
    key: 'code',
    head: 'Outcome',
    width: '186px',
    cell: (row) => (
      <>
        <span title={row.errorMessage ?? undefined}>{describeOutcome(row)}</span>
        {row.overlaps ? <small className="muted"> began before the last one ended</small> : null}
      </>
    ),
  },
  {
    key: 'duration',
    head: 'Duration',
    width: '96px',
    isNumber: true,
    givesWay: 2,
    cell: ({ durationMs }) => (durationMs === null ? '–' : formatMilliseconds(durationMs)),
  },
  {
    key: 'body',
    head: 'Response',
    cell: ({ id, bodyStart, hasMore, errorMessage }) =>
      bodyStart === null ? (
        <span className="muted">{errorMessage ?? '–'}</span>
      ) : (
        <BodyPeek text={bodyStart} hasMore={hasMore} restTo={`/executions/${id}?body=whole`} />
      ),
  },
];
