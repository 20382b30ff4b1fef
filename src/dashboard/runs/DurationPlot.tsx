import { describeDuration, formatMilliseconds } from '#domain/base/duration-words';
import { Time } from '../parts/Time.tsx';
import { Lines, type PlotGap, StackedBars } from '../plots/Plot.tsx';
import { formatCount } from '../plots/plot-scale.ts';
import classes from './OverviewPanels.module.css';
import { labelStep, type Range } from './ranges.ts';
import { linksOf } from './run-links.ts';
import type { Durations, OutcomeStep, QueueHistory as History } from '../services.ts';

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

export function QueueHistory({
  queueId,
  history: { outcomes, durations, depths },
  range,
}: {
  queueId: string;
  history: History;
  range: Range;
}) {
  const of = `queue:${queueId}`;
  return (
    <div className={classes.plots}>
      <div>
        <StackedBars
          title={`Due jobs waiting (peak), last ${range.word}, UTC`}
          labels={depths.map(({ from }) => labelStep(from, range))}
          format={formatCount}
          series={[{ name: 'Waiting', tone: 'blue', values: depths.map(({ waiting }) => waiting) }]}
        />
        <p className="muted">{describeLongest(depths)}</p>
      </div>
      <OutcomeBars
        title={`Attempts that ended, last ${range.word}, UTC`}
        steps={outcomes}
        label={(from) => labelStep(from, range)}
        of={of}
      />
      <DurationPlot
        steps={durations}
        sampledBackTo={null}
        range={range}
        links={linksOf(outcomes, of)}
      />
    </div>
  );
}

function describeLongest(depths: History['depths']): string {
  const longest = Math.max(0, ...depths.map(({ oldestMs }) => oldestMs ?? 0));
  if (depths.every(({ waiting }) => waiting === null)) return 'There are no samples yet.';
  return longest < 1000
    ? 'Counted every five minutes.'
    : `Counted every five minutes. The longest wait was ${describeDuration(longest)}.`;
}
