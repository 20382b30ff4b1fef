import { describeDuration } from '#domain/base/duration-words';
import { StackedBars } from '../plots/Plot.tsx';
import { formatCount } from '../plots/plot-scale.ts';
import type { QueueHistory as History } from '../services.ts';
import { DurationPlot, OutcomeBars } from './DurationPlot.tsx';
import { labelStep, type Range } from './ranges.ts';
import { linksOf } from './run-links.ts';
import classes from './OverviewPanels.module.css';

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
