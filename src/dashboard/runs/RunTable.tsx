import { Link } from 'react-router';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { Status } from '../parts/Status.tsx';
import type { FoundRun, RowsPage } from '../services.ts';
import { outcomeColumns, requestColumn } from './run-columns.tsx';

/** What was sent and has ended, of jobs and of crons alike. */
export function RunTable({ page: { rows, next } }: { page: RowsPage<FoundRun> }) {
  return (
    <DataTable
      caption="Runs"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      isLive
      hasMore={next !== null}
    />
  );
}

const columns: Column<FoundRun>[] = [
  {
    key: 'status',
    head: 'Status',
    width: '136px',
    cell: ({ status }) => <Status name={status} />,
  },
  requestColumn,
  {
    key: 'of',
    head: 'Queue or cron',
    width: '176px',
    givesWay: 3,
    cell: ({ kind, sourceId, sourceName }) => (
      <Link to={`/${kind === 'job' ? 'queues' : 'crons'}/${sourceId}`} title={sourceName}>
        {sourceName}
      </Link>
    ),
  },
  ...outcomeColumns,
];
