import { Link } from 'react-router';
import { formatMilliseconds } from '#domain/base/duration-words';
import { type Column, numberColumn, timeColumn } from '../lists/DataTable.tsx';
import { NOTHING } from '../words/amounts.ts';
import { RequestLine } from '../parts/RequestLine.tsx';
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
  numberColumn('Attempt', '76px', ({ attemptNumber }) => attemptNumber ?? NOTHING, {
    hiddenBelow: 900,
    givesWay: 1,
  }),
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
  timeColumn('When', ({ at }) => at, { isPlain: true, givesWay: 5 }),
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
