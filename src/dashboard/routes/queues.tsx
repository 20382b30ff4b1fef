import { open } from '../serving/open.ts';
import { Link } from 'react-router';
import { describeRunning, formatAmount } from '../words/amounts.ts';
import { ActionButton } from '../forms/Form.tsx';
import { actionsColumn, type Column, numberColumn, timeColumn } from '../lists/DataTable.tsx';
import { RecentResults } from '../plots/RecentResults.tsx';
import { Tags } from '../parts/Tags.tsx';
import { failedOf } from '../runs/job-search.ts';
import { describeLoad, HealthWord } from '../runs/HealthWord.tsx';
import { readSourceList, SourceList, type SourceRow, useSourceForm } from '../runs/SourceList.tsx';
import type { QueueListRow } from '../services.ts';
import type { Route } from './+types/queues.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  return readSourceList({ work, teamId: team.id, url }, 'queue', work.listQueueRows);
}

export default function Queues({ loaderData }: Route.ComponentProps) {
  return (
    <SourceList
      of="queues"
      every={5}
      list={loaderData}
      columns={columns}
      search={{ placeholder: 'Name or id', searches: 'names and ids' }}
      none={{
        example: 'POST /api/jobs   {"queue": "invoices", "url": "https://…"}',
        text: 'A queue decides how its jobs run: timeout, retries, how many at once, and success assertions. The first job with a new queue name creates the queue with default settings.',
      }}
    />
  );
}

const columns: Column<SourceRow<QueueListRow>>[] = [
  {
    head: 'Health',
    width: '146px',
    cell: (row) => <HealthWord of={row} note={describeLoad(row)} />,
  },
  {
    head: 'Name',
    cell: ({ queue }) => (
      <span className="row">
        <Link to={`/queues/${queue.id}`}>{queue.name}</Link>
        <Tags tags={queue.tags} of="queues" most={2} />
      </span>
    ),
  },
  numberColumn('Waiting', '90px', ({ waiting }) => formatAmount(waiting), { givesWay: 5 }),
  numberColumn(
    'Running',
    '90px',
    ({ running, queue }) => describeRunning(running, queue.concurrencyLimit),
    { givesWay: 3 },
  ),
  timeColumn('Oldest waiting', ({ oldestDueAt }) => oldestDueAt, {
    hiddenBelow: 600,
    width: '142px',
    givesWay: 2,
  }),
  timeColumn('Next due', ({ nextDueAt }) => nextDueAt, { hiddenBelow: 900, givesWay: 1 }),
  {
    head: 'Last 50 attempts',
    width: '164px',
    givesWay: 4,
    hiddenBelow: 900,
    cell: ({ recentResults }) => <RecentResults results={recentResults} />,
  },
  {
    head: 'Failed today',
    width: '110px',
    isNumber: true,
    givesWay: 6,
    cell: ({ queue, failed, failedSince }) =>
      failed.count === 0 ? (
        <span className="muted">0</span>
      ) : (
        <Link to={failedOf(queue.id, failedSince)}>{formatAmount(failed)}</Link>
      ),
  },
  actionsColumn('100px', ({ queue }) => <RowAction {...queue} />, 600),
];

function RowAction({ id, name, isPaused }: QueueListRow['queue']) {
  const toPage = useSourceForm(`/queues/${id}`);
  const word = isPaused ? 'Enable' : 'Pause';
  return (
    <ActionButton
      {...toPage}
      intent={isPaused ? 'enable' : 'pause'}
      size="small"
      title={`${word} ${name}`}
    >
      {word}
    </ActionButton>
  );
}
