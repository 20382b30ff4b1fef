import { Link, useLocation } from 'react-router';
import { BodyPeek } from '../parts/Popover.tsx';
import { type Column, timeColumn } from '../lists/DataTable.tsx';
import { OtherFaults } from '../lists/FilterBar.tsx';
import { changeSearch, EmptyState, List } from '../lists/List.tsx';
import type { FilterFaults } from '#domain/runs/read-filters';
import { Status } from '../parts/Status.tsx';
import { TabLinks } from '../page/TabLinks.tsx';
import type { HistoryRun, RowsPage } from '../services.ts';
import { describeOutcome } from './reasons.ts';
import { durationColumn } from './run-columns.tsx';

const tabs = [
  { name: 'All runs', status: null },
  { name: 'Success', status: 'success' },
  { name: 'Failed', status: 'failed' },
] as const;

type HistoryProps = {
  page: RowsPage<HistoryRun>;
  status: 'success' | 'failed' | null;
  faults: FilterFaults | null;
};

/** Newest first. */
export function History({ page, status, faults }: HistoryProps) {
  const { search } = useLocation();
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
      <List
        faults={isUnreadable ? faults : null}
        caption="Runs"
        columns={columns}
        rows={page.rows}
        empty={
          status === null ? (
            <EmptyState title="No runs yet">
              Runs appear here after the first scheduled time, or after Run now.
            </EmptyState>
          ) : (
            <EmptyState title="No run with this status">
              Look at all runs to see the others.
            </EmptyState>
          )
        }
        page={page}
      />
    </section>
  );
}

const columns: Column<HistoryRun>[] = [
  {
    head: 'Status',
    width: '110px',
    cell: ({ id, status }) => (
      <Link to={`/executions/${id}`}>
        <Status name={status} />
      </Link>
    ),
  },
  timeColumn('When', ({ scheduledAt, createdAt }) => scheduledAt ?? createdAt, { isPlain: true }),
  {
    head: 'Started by',
    hiddenBelow: 600,
    isPlain: true,
    width: '92px',
    givesWay: 1,
    cell: ({ scheduledAt, actor }) =>
      scheduledAt === null ? <span title={actor ?? undefined}>Run now</span> : 'Schedule',
  },
  {
    head: 'Outcome',
    isPlain: true,
    width: '186px',
    cell: (row) => (
      <>
        <span title={row.errorMessage ?? undefined} className="whole">
          {describeOutcome(row)}
        </span>
        {row.overlaps ? (
          <small className="muted"> started before the previous run ended</small>
        ) : null}
      </>
    ),
  },
  { ...durationColumn, width: '96px' },
  {
    head: 'Response',
    cell: ({ id, bodyStart, hasMore, errorMessage }) =>
      bodyStart === null ? (
        <span className="muted">{errorMessage ?? '–'}</span>
      ) : (
        <BodyPeek text={bodyStart} hasMore={hasMore} restTo={`/executions/${id}?body=whole`} />
      ),
  },
];
