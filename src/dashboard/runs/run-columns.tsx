import { Link } from 'react-router';
import { formatMilliseconds } from '#domain/duration-words';
import type { Column } from '../lists/DataTable.tsx';
import { NOTHING } from '../words/amounts.ts';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Time } from '../parts/Time.tsx';
import type { FoundRun, JobListRow } from '../services.ts';
import { describeFault, describeOutcome } from './reasons.ts';
import { pageOfRun } from './run-links.ts';

type Row = FoundRun | JobListRow;

export const requestColumn: Column<Row> = {
  head: 'Request',
  cell: (run) => (
    <Link to={pageOfRun('kind' in run ? run.kind : 'job', run.id)}>
      <RequestLine method={run.method} url={run.url} />
    </Link>
  ),
};

export const durationColumn: Column<Pick<Row, 'durationMs'>> = {
  head: 'Duration',
  width: '86px',
  isPlain: true,
  isNumber: true,
  givesWay: 2,
  cell: ({ durationMs }) => (durationMs === null ? NOTHING : formatMilliseconds(durationMs)),
};

export const outcomeColumns: Column<Row>[] = [
  {
    head: 'Attempt',
    hiddenBelow: 900,
    width: '76px',
    isNumber: true,
    givesWay: 1,
    cell: ({ attemptNumber }) => attemptNumber ?? NOTHING,
  },
  {
    head: 'Outcome',
    width: '186px',
    isPlain: true,
    givesWay: 4,
    cell: (run) => {
      const words = 'fault' in run && run.fault ? describeFault(run.fault) : describeOutcome(run);
      return words === NOTHING ? NOTHING : <Outcome run={run} words={words} />;
    },
  },
  durationColumn,
  {
    head: 'When',
    isPlain: true,
    isTime: true,
    width: '112px',
    givesWay: 5,
    cell: ({ at }) => <Time at={at} />,
  },
];

/** With the target's message as a tip, and a link to the retry's job. */
export function Outcome({
  run: { errorMessage, retriedAs },
  words,
}: {
  run: { errorMessage: string | null; retriedAs: string | null };
  words: string;
}) {
  return (
    // A redirect takes more than a line, and is shown whole.
    <span title={errorMessage ?? undefined} className="whole">
      {words}
      {retriedAs ? (
        <>
          {', '}
          <Link to={`/jobs/${retriedAs}`}>resent</Link>
        </>
      ) : null}
    </span>
  );
}
