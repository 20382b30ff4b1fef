import { StackedBars } from '../plots/Plot.tsx';
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
      format={formatCount}
      links={links}
      linkWord="See the runs"
      series={[
        { name: 'Success', tone: 'teal', values: steps.map(({ success }) => success) },
        { name: 'Retried', tone: 'orange', values: steps.map(({ retried }) => retried) },
        { name: 'Failed', tone: 'red', values: steps.map(({ failed }) => failed) },
      ]}
    />
  );
}
