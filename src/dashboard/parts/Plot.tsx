import { useId, type ReactNode } from 'react';
import { buildScale, type Scale } from './plotScale.ts';
import classes from './Plot.module.css';

type Tone = 'teal' | 'red' | 'orange' | 'blue' | 'slate';
type Series = { name: string; tone: Tone; values: readonly number[] };

type PlotProps = {
  /** What the plot shows, with its unit and span: "Runs per hour, last 24 hours". */
  title: string;
  /** One label per column; every few of them are written under the plot. */
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  height?: number;
};

const width = 640;
const left = 44;
const bottom = 18;
const top = 6;

/** Outcomes over time as bars on top of each other. Drawn on the server; the numbers are in a table as well. */
export function StackedBars({ height = 140, ...plot }: PlotProps) {
  const totals = plot.labels.map((_, at) =>
    plot.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const scale = buildScale(Math.max(0, ...totals));
  const step = (width - left) / Math.max(1, plot.labels.length);
  const barWidth = Math.max(1, Math.min(28, step * 0.72));
  const y = (value: number) => top + (height - top - bottom) * (1 - value / scale.max);
  return (
    <PlotFrame {...plot} height={height} scale={scale} y={y} step={step}>
      {plot.labels.map((label, at) => {
        let below = 0;
        return (
          <g key={label}>
            <title>{`${label}: ${plot.series.map(({ name, values }) => `${name} ${plot.format(values[at] ?? 0)}`).join(', ')}`}</title>
            <rect
              x={left + at * step}
              y={top}
              width={step}
              height={height - top - bottom}
              fill="transparent"
            />
            {plot.series.map(({ name, tone, values }) => {
              const value = values[at] ?? 0;
              const from = below;
              below += value;
              const drawn = y(from) - y(below);
              // A single failure among thousands must still be seen.
              const seen = value > 0 ? Math.max(1.5, drawn) : 0;
              return (
                <rect
                  key={name}
                  className={classes.bar}
                  data-tone={tone}
                  x={round(left + at * step + (step - barWidth) / 2)}
                  y={round(y(from) - seen)}
                  width={round(barWidth)}
                  height={round(seen)}
                />
              );
            })}
          </g>
        );
      })}
    </PlotFrame>
  );
}

/** Values over time as lines, such as the median and the 95 % of durations. `NaN` breaks a line. */
export function Lines({ height = 140, ...plot }: PlotProps) {
  const known = plot.series.flatMap(({ values }) =>
    values.filter((value) => Number.isFinite(value)),
  );
  const scale = buildScale(Math.max(0, ...known));
  const step = (width - left) / Math.max(1, plot.labels.length);
  const y = (value: number) => top + (height - top - bottom) * (1 - value / scale.max);
  return (
    <PlotFrame {...plot} height={height} scale={scale} y={y} step={step}>
      {/* The first on top: where lines meet it is the one that is looked for. */}
      {plot.series.toReversed().map(({ name, tone, values }) => (
        <path
          key={name}
          className={classes.line}
          data-tone={tone}
          d={buildLine(values, (at) => left + (at + 0.5) * step, y)}
        />
      ))}
      {plot.labels.map((label, at) => (
        <rect
          key={label}
          x={left + at * step}
          y={top}
          width={step}
          height={height - top - bottom}
          fill="transparent"
        >
          <title>{`${label}: ${plot.series.map(({ name, values }) => `${name} ${formatKnown(values[at], plot.format)}`).join(', ')}`}</title>
        </rect>
      ))}
    </PlotFrame>
  );
}

function formatKnown(value: number | undefined, format: (value: number) => string): string {
  return value !== undefined && Number.isFinite(value) ? format(value) : 'none';
}

const loneWidth = 8;

function buildLine(
  values: readonly number[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false;
  const steps: string[] = [];
  for (const [at, value] of values.entries()) {
    const isKnown = Number.isFinite(value);
    const isLone = isKnown && !isDrawing && !Number.isFinite(values[at + 1]);
    // A lone point has no length, so it becomes a dash.
    if (isLone) steps.push(`M${round(x(at) - loneWidth / 2)} ${round(y(value))}h${loneWidth}`);
    else if (isKnown) steps.push(`${isDrawing ? 'L' : 'M'}${round(x(at))} ${round(y(value))}`);
    isDrawing = isKnown;
  }
  return steps.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

type FrameProps = PlotProps & {
  height: number;
  scale: Scale;
  y: (value: number) => number;
  step: number;
  children: ReactNode;
};

function PlotFrame({
  title,
  labels,
  series,
  format,
  height,
  scale,
  y,
  step,
  children,
}: FrameProps) {
  const id = useId();
  const every = Math.max(1, Math.ceil(labels.length / 6));
  return (
    <figure className={classes.plot}>
      <figcaption id={id}>
        <span>{title}</span>
        <Legend series={series} />
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={id}>
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line
              className={classes.grid}
              data-zero={tick === 0 || undefined}
              x1={left}
              x2={width}
              y1={round(y(tick))}
              y2={round(y(tick))}
            />
            <text x={left - 6} y={round(y(tick)) + 3} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {children}
        {labels.map((label, at) =>
          at % every === 0 ? (
            <text key={label} x={round(left + at * step + 1)} y={height - 4}>
              {label}
            </text>
          ) : null,
        )}
      </svg>
      <PlotTable title={title} labels={labels} series={series} format={format} />
    </figure>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <span className={classes.legend}>
      {series.map(({ name, tone }) => (
        <span key={name} data-tone={tone}>
          {name}
        </span>
      ))}
    </span>
  );
}

function PlotTable({
  title,
  labels,
  series,
  format,
}: Pick<PlotProps, 'title' | 'labels' | 'series' | 'format'>) {
  return (
    <details className={classes.numbers}>
      <summary>Show as a table</summary>
      <div>
        <table>
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, at) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{formatKnown(values[at], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
