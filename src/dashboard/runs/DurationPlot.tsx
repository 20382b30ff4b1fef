import { formatMilliseconds } from '#domain/duration-words';
import { Lines } from '../plots/Plot.tsx';
import { Time } from '../parts/Time.tsx';
import type { Durations } from '../services.ts';
import { labelStep, type Range } from './ranges.ts';

/** How long runs took: half of them no longer than the one line, 95 % no longer than the other. */
export function DurationPlot({
  durations,
  range,
  links = [],
}: {
  durations: Durations;
  range: Range;
  /** Where each step leads. */
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
