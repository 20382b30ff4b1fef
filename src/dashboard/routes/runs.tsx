import { data, Link } from 'react-router';
import { formatMilliseconds } from '#domain/duration-words';
import { services, signedIn } from '../context.ts';
import { useClockBehind } from '../lists/clock-column.tsx';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { EmptyState } from '../lists/EmptyState.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { type FilterFaults, FilterReader } from '../lists/read-filters.ts';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { executionStatus } from '../runs/History.tsx';
import { readInstant, timeSentence, writeJobSearch } from '../runs/job-search.ts';
import { jobStatus } from '../runs/job-status.ts';
import { describeOutcome } from '../runs/reasons.ts';
import type { EndedRun } from '../services.ts';
import type { Route } from './+types/runs.ts';

/** The runs behind a bar of the overview's plots: what ended in a time, of jobs and of crons. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const filters = new FilterReader(url.searchParams);
  const [from, to] = (['from', 'to'] as const).map((name) =>
    filters.read(name, readInstant, timeSentence),
  );
  if (from !== undefined && to !== undefined && from >= to) {
    filters.refuse('to', 'The end comes before the beginning.');
  }
  const { faults } = filters.finish(null);
  if (faults) return { time: null, faults, ended: null };
  if (from === undefined || to === undefined) throw data(null, { status: 404 });
  const ended = await context.get(services).work.listEndedRuns(team.id, { from, to });
  return { time: { from, to }, faults: null, ended };
}

export default function Runs({ loaderData: { time, faults, ended } }: Route.ComponentProps) {
  useLiveRefresh(10);
  const withClock = useClockBehind(columns, 'at', ({ at }) => at);
  return (
    <>
      <PageHeader
        title="Runs that ended"
        parent={{ to: '/', text: 'Overview' }}
        note={
          time ? (
            <>
              From <Time at={time.from} exact /> to <Time at={time.to} exact />
            </>
          ) : null
        }
      />
      {ended === null ? (
        <EmptyState title="The times can’t be read">
          <UnreadTimes faults={faults} />
          So nothing is shown. The columns of the plots on the <Link to="/">Overview</Link> lead to
          the runs of their time.
        </EmptyState>
      ) : ended.runs.length === 0 ? (
        <EmptyState title="Nothing that ended then is left">
          Finished runs are kept for a time that the operator sets; counts in plots stay longer.
        </EmptyState>
      ) : (
        <DataTable caption="Runs" columns={withClock} rows={ended.runs} keyOf={keyOf} isLive />
      )}
      {time && ended ? <Further time={time} {...ended} /> : null}
    </>
  );
}

function UnreadTimes({ faults }: { faults: FilterFaults | null }) {
  return (['from', 'to'] as const).map((name) =>
    faults?.[name] === undefined ? null : (
      <span key={name} style={{ display: 'block' }}>
        <code>{name}</code>: {faults[name]}
      </span>
    ),
  );
}

function Further({
  time: { from, to },
  hasMoreJobs,
  hasMoreExecutions,
}: {
  time: { from: number; to: number };
  hasMoreJobs: boolean;
  hasMoreExecutions: boolean;
}) {
  if (!hasMoreJobs && !hasMoreExecutions) return null;
  return (
    <p className="muted" style={{ marginTop: 12 }}>
      These are the last 100 of {hasMoreJobs ? 'jobs' : 'crons'}
      {hasMoreJobs && hasMoreExecutions ? ' and of crons each' : ''}. There are more:{' '}
      {hasMoreJobs ? (
        <Link to={writeJobSearch({ tab: 'all', from, to: to - 1 })}>all jobs of this time</Link>
      ) : null}
      {hasMoreJobs && hasMoreExecutions ? ', and ' : null}
      {hasMoreExecutions ? (
        <>
          runs of crons on the page of each of the <Link to="/crons">crons</Link>
        </>
      ) : null}
      .
    </p>
  );
}

const runOf = (ended: EndedRun) => (ended.kind === 'job' ? ended.job : ended.execution);
const keyOf = (ended: EndedRun) => runOf(ended).id;

const columns: Column<EndedRun>[] = [
  {
    key: 'status',
    head: 'Status',
    width: '136px',
    cell: (ended) => (
      <Status
        name={ended.kind === 'job' ? jobStatus(ended.job) : executionStatus(ended.execution.status)}
      />
    ),
  },
  {
    key: 'what',
    head: 'Job or cron',
    cell: (ended) =>
      ended.kind === 'job' ? (
        <Link to={`/jobs/${ended.job.id}`}>
          <RequestLine method={ended.job.method} url={ended.job.url} />
        </Link>
      ) : (
        <Link to={`/executions/${ended.execution.id}`}>{ended.cronName}</Link>
      ),
  },
  {
    key: 'of',
    head: 'Queue',
    width: '140px',
    givesWay: 2,
    cell: (ended) =>
      ended.kind === 'job' ? (
        <Link to={`/queues/${ended.job.queueId}`}>{ended.job.queue}</Link>
      ) : (
        <span className="muted">cron</span>
      ),
  },
  {
    key: 'outcome',
    head: 'Outcome',
    width: '186px',
    givesWay: 3,
    cell: (ended) => (
      <span title={runOf(ended).errorMessage ?? undefined}>{describeOutcome(runOf(ended))}</span>
    ),
  },
  {
    key: 'duration',
    head: 'Duration',
    width: '86px',
    isNumber: true,
    givesWay: 1,
    cell: (ended) => {
      const { durationMs } = runOf(ended);
      return durationMs === null ? '–' : formatMilliseconds(durationMs);
    },
  },
  { key: 'at', head: 'When, UTC', width: '112px', cell: ({ at }) => <Time at={at} /> },
];
