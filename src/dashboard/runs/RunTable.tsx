import { Link } from 'react-router';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { Status } from '../parts/Status.tsx';
import type { FoundRun } from '../services.ts';
import { outcomeColumns, requestColumn } from './run-columns.tsx';

/** What was sent and has ended, of jobs and of crons alike. */
export function RunTable({ runs }: { runs: readonly FoundRun[] }) {
  return <DataTable caption="Runs" columns={columns} rows={runs} keyOf={({ id }) => id} isLive />;
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
