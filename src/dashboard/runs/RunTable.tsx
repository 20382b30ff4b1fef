import { Link } from 'react-router';
import { useClockBehind } from '../lists/clock-column.tsx';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { FoundRun, PlacedOutage } from '../services.ts';
import { outcomeColumns, requestColumn } from './run-columns.tsx';

/** What was sent and has ended, of jobs and of crons alike. */
export function RunTable({
  runs,
  outages,
}: {
  runs: readonly FoundRun[];
  outages: readonly PlacedOutage[];
}) {
  const withClock = useClockBehind(columns, 'at', ({ at }) => at);
  return (
    <DataTable
      caption="Runs"
      columns={withClock}
      rows={runs}
      keyOf={({ id }) => id}
      notes={outages.map((outage) => {
        const { aboveId, from } = outage;
        return { aboveKey: aboveId, key: String(from), text: <OutageText outage={outage} /> };
      })}
      isLive
    />
  );
}

/** Nothing between two runs may mean that nothing was to do, or this. */
function OutageText({ outage: { from, to, times } }: { outage: PlacedOutage }) {
  if (to === null && times === 1) {
    return (
      <>
        Nothing has been sent since <Time at={from} isDated />: no engine is running
      </>
    );
  }
  return (
    <>
      Belfry was not running {times === 1 ? '' : `${times} times `}from <Time at={from} isDated />{' '}
      to {to === null ? 'now' : <Time at={to} isDated />}
    </>
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
