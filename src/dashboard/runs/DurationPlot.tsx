import { formatMilliseconds, describeDuration } from '#domain/base/duration-words';
import { Time } from '../parts/Time.tsx';
import { Lines, type PlotGap, StackedBars } from '../plots/Plot.tsx';
import { formatCount } from '../plots/plot-scale.ts';
import type { Durations, OutcomeStep } from '../services.ts';
import { linksOf } from './run-links.ts';
import { labelStep, type Range } from './ranges.ts';

type DurationPlotProps = Durations & { range: Range; links?: readonly (string | null)[] };

export function DurationPlot({ steps, sampledBackTo, range, links = [] }: DurationPlotProps) {
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
          { name: 'Median', tone: 'teal', values: steps.map(({ medianMs }) => medianMs) },
          {
            name: '95th percentile',
            tone: 'slate',
            values: steps.map(({ p95Ms }) => p95Ms),
          },
        ]}
      />
      {sampledBackTo === null ? null : (
        <p className="muted">
          Only the newest runs are included, back to <Time at={sampledBackTo} exact />.
        </p>
      )}
    </>
  );
}

type OutcomeBarsProps = {
  title: string;
  steps: readonly OutcomeStep[];
  label: (from: number) => string;
  of?: string;
};

/** Each bar leads to its runs. */
export function OutcomeBars({ title, steps, label, of }: OutcomeBarsProps) {
  return (
    <StackedBars
      title={title}
      labels={steps.map(({ from }) => label(from))}
      gaps={gapsOf(steps)}
      format={formatCount}
      links={linksOf(steps, of)}
      linkWord="See the runs"
      series={[
        { name: 'Success', tone: 'teal', values: steps.map((step) => countOf(step, 'success')) },
        { name: 'Retried', tone: 'orange', values: steps.map((step) => countOf(step, 'retried')) },
        { name: 'Failed', tone: 'red', values: steps.map((step) => countOf(step, 'failed')) },
      ]}
    />
  );
}

/** Zero would mean a service without work. */
function countOf(step: OutcomeStep, outcome: 'success' | 'retried' | 'failed'): number | null {
  return step.isDown && step[outcome] === 0 ? null : step[outcome];
}

function gapsOf(steps: readonly OutcomeStep[]): (PlotGap | null)[] {
  return steps.map(({ from, to, downMs, isDown }) => {
    if (downMs === 0) return null;
    const text = isDown
      ? 'Belfry was not running'
      : `Belfry was not running for ${describeDuration(downMs)}`;
    return { share: downMs / (to - from), text };
  });
}
