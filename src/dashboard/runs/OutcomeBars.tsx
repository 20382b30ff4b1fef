import { describeDuration } from '#domain/duration-words';
import { type PlotGap, StackedBars } from '../plots/Plot.tsx';
import { formatCount } from '../plots/plot-scale.ts';
import type { OutcomeStep } from '../services.ts';

/** How runs ended, over time; each bar leads to its runs. */
export function OutcomeBars({
  title,
  steps,
  label,
  links,
}: {
  title: string;
  steps: readonly OutcomeStep[];
  label: (from: number) => string;
  links: readonly (string | null)[];
}) {
  return (
    <StackedBars
      title={title}
      labels={steps.map(({ from }) => label(from))}
      gaps={gapsOf(steps)}
      format={formatCount}
      links={links}
      linkWord="See the runs"
      series={[
        { name: 'Success', tone: 'teal', values: steps.map((step) => countOf(step, 'success')) },
        { name: 'Retried', tone: 'orange', values: steps.map((step) => countOf(step, 'retried')) },
        { name: 'Failed', tone: 'red', values: steps.map((step) => countOf(step, 'failed')) },
      ]}
    />
  );
}

/** Zero would tell of a service that had nothing to do. */
function countOf(step: OutcomeStep, outcome: 'success' | 'retried' | 'failed'): number {
  return step.isDown && step[outcome] === 0 ? Number.NaN : step[outcome];
}

/** Where the service did not run. */
export function gapsOf(steps: readonly OutcomeStep[]): (PlotGap | null)[] {
  return steps.map(({ from, to, downMs, isDown }) => {
    if (downMs === 0) return null;
    const text = isDown
      ? 'Belfry was not running'
      : `Belfry was not running for ${describeDuration(downMs)}`;
    return { share: downMs / (to - from), text };
  });
}
