import { formatMilliseconds } from '#domain/duration-words';
import { Lines } from '../plots/Plot.tsx';
import { Time } from '../parts/Time.tsx';
import type { Durations } from '../services.ts';
import { labelStep, type Range } from './ranges.ts';

/** The durations of runs as two lines: the median and the 95th percentile. */
export function DurationPlot({
  durations,
  range,
  links = [],
}: {
  durations: Durations;
  range: Range;
  /** The page that each step links to. */
  links?: readonly (string | null)[];
}) {
  const { steps, sampledBackTo } = durations;
  if (steps.every(({ runs }) => runs === 0))
    return <p className="muted">{`No run ended in the last ${range.word}.`}</p>;
  return (
    <>
      <Lines
        title={`Duration of runs, last ${range.word}, UTC`}
        labels={steps.map(({ from }) => labelStep(from, range))}
        format={formatMilliseconds}
        links={links}
        linkWord="See the runs"
        series={[
          {
            name: 'Median',
            tone: 'teal',
            values: steps.map(({ medianMs }) => medianMs ?? Number.NaN),
          },
          { name: '95 %', tone: 'slate', values: steps.map(({ p95Ms }) => p95Ms ?? Number.NaN) },
        ]}
      />
      {sampledBackTo === null ? null : (
        <p className="muted">
          Of the newest runs, back to <Time at={sampledBackTo} exact />.
        </p>
      )}
    </>
  );
}
