import { useId, type ReactNode } from 'react';
import { Link } from 'react-router';
import { buildScale, round, type Scale, spaceLabels } from './plot-scale.ts';

import classes from './Plot.module.css';

type Tone = 'teal' | 'red' | 'orange' | 'blue' | 'slate';
/** Null: not known. */
type Value = number | null | undefined;
type Series = { name: string; tone: Tone; values: readonly Value[] };

export type PlotGap = {
  share: number;
  text: string;
};

type PlotProps = {
  title: string;
  /** Every few are written, up to the first comma. */
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  /** Steps with missing data, shown hatched. */
  gaps?: readonly (PlotGap | null)[];
  /** To the runs of each step. */
  links?: readonly (string | null)[];
};

export function StackedBars(plot: PlotProps) {
  const totals = plot.labels.map((_, at) =>
    plot.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const scale = buildScale(Math.max(0, ...totals));
  return (
    <PlotFrame {...plot} scale={scale}>
      {(at) =>
        plot.series.map(({ name, tone, values }) => {
          const value = values[at] ?? 0;
          // So that a single failure among thousands can be seen.
          const height = `max(2px, ${round((100 * value) / scale.max)}%)`;
          return value > 0 ? (
            <i key={name} className={classes.bar} data-tone={tone} style={{ height }} />
          ) : null;
        })
      }
    </PlotFrame>
  );
}

/** An unknown value breaks a line. */
export function Lines(plot: PlotProps) {
  const known = plot.series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const scale = buildScale(Math.max(0, ...known));
  const y = (value: number) => 100 * (1 - value / scale.max);
  const lines = (
    <svg
      className={classes.paths}
      viewBox={`0 0 ${plot.labels.length} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {/* The first series, the most important one, is on top where lines meet. */}
      {plot.series.toReversed().map(({ name, tone, values }) => (
        <path key={name} data-tone={tone} d={buildLine(values, y)} />
      ))}
    </svg>
  );
  return <PlotFrame {...plot} {...{ scale, lines }} />;
}

function formatKnown(value: Value, format: (value: number) => string): string {
  return isKnown(value) ? format(value) : 'not known';
}

function isKnown(value: Value): value is number {
  return value !== null && value !== undefined;
}

const loneWidth = 0.4;

function buildLine(values: readonly Value[], y: (value: number) => number): string {
  const steps: string[] = [];
  for (const [at, value] of values.entries()) {
    if (!isKnown(value)) continue;
    const isDrawing = isKnown(values[at - 1]);
    const isLone = !isDrawing && !isKnown(values[at + 1]);
    const x = at + 0.5;
    // A lone point becomes a dash.
    if (isLone) steps.push(`M${round(x - loneWidth / 2)} ${round(y(value))}h${loneWidth}`);
    else steps.push(`${isDrawing ? 'L' : 'M'}${x} ${round(y(value))}`);
  }
  return steps.join('');
}

type FrameProps = PlotProps & {
  scale: Scale;
  lines?: ReactNode;
  children?: (at: number) => ReactNode;
};

function PlotFrame({ lines, children, scale, ...plot }: FrameProps) {
  const { title, labels, series, format, gaps = [], links = [] } = plot;
  const id = useId();
  const hasGaps = gaps.some((gap) => gap);
  const every = spaceLabels(labels.length);
  const ticks = scale.ticks.map((tick) => {
    return { tick, text: format(tick), bottom: `${round((100 * tick) / scale.max)}%` };
  });
  const widest = ticks.reduce((most, { text }) => (text.length > most.length ? text : most), '');
  return (
    <figure className={classes.plot}>
      <figcaption>
        <span id={id}>{title}</span>
        {series.length === 1 && !hasGaps ? null : (
          <span className={classes.legend}>
            {series.map(({ name, tone }) => (
              <span key={name} className="swatch" data-tone={tone}>
                {name}
              </span>
            ))}
            {hasGaps ? (
              <span className="swatch" data-gap>
                Not running
              </span>
            ) : null}
          </span>
        )}
      </figcaption>
      <div className={classes.area}>
        <div className={classes.axis} aria-hidden="true">
          {/* The widest number makes room for all. */}
          <b>{widest}</b>
          {ticks.map(({ tick, text, bottom }) => (
            <span key={tick} style={{ bottom }}>
              {text}
            </span>
          ))}
        </div>
        <div className={classes.canvas}>
          {ticks.map(({ tick, bottom }) => (
            <i
              key={tick}
              className={classes.grid}
              data-zero={tick === 0 || undefined}
              style={{ bottom }}
            />
          ))}
          {lines}
          <ol className={classes.columns} aria-labelledby={id}>
            {labels.map((label, at) => (
              <PlotColumn
                key={label}
                to={links[at] ?? null}
                isLate={at >= labels.length / 2}
                title={label}
                note={gaps[at]?.text ?? null}
                facts={series
                  .filter(({ values }) => !gaps[at] || isKnown(values[at]))
                  .map(({ name, tone, values }) => {
                    return { name, tone, value: formatKnown(values[at], format) };
                  })}
              >
                {gaps[at] ? (
                  <i
                    className={classes.gap}
                    style={{ opacity: round(0.4 + 0.6 * gaps[at].share) }}
                  />
                ) : null}
                {children?.(at)}
              </PlotColumn>
            ))}
          </ol>
        </div>
        <div className={classes.labels} aria-hidden="true">
          {labels.map((label, at) =>
            at % every === 0 ? (
              <span key={label} style={{ left: `${round((100 * at) / labels.length)}%` }}>
                {label.split(',')[0]}
              </span>
            ) : null,
          )}
        </div>
      </div>
      <PlotTable {...plot} gaps={gaps} links={links} />
    </figure>
  );
}

type PlotTableProps = PlotProps & Required<Pick<PlotProps, 'gaps' | 'links'>>;

function PlotTable({ title, labels, series, format, gaps, links }: PlotTableProps) {
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
                <th scope="row">
                  {links[at] ? <Link to={links[at]}>{label}</Link> : label}
                  {gaps[at] ? `, ${gaps[at].text}` : null}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name}>
                    {gaps[at] && !isKnown(values[at]) ? '–' : formatKnown(values[at], format)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

type ColumnProps = {
  title: string;
  note: string | null;
  facts: readonly { name: string; tone: string; value: string }[];
  to: string | null;
  /** Its text is left of the column, so that it stays on the page. */
  isLate: boolean;
  children: ReactNode;
};

/** Tab skips it: the table below has the same numbers and links. */
function PlotColumn({ title, note, facts, to, isLate, children }: ColumnProps) {
  const values = facts.map(({ name, value }) => `${name} ${value}`);
  const said = `${title}: ${[...(note === null ? [] : [note]), ...values].join(', ')}`;
  const shared = { className: classes.column, 'aria-label': said };
  const inside = (
    <>
      {children}
      <span className={classes.tip} data-late={isLate || undefined} aria-hidden="true">
        <b>{title}</b>
        {note === null ? null : <span className={classes.why}>{note}</span>}
        {facts.map(({ name, tone, value }) => (
          <span key={name} className={tone && 'swatch'} data-tone={tone}>
            {name} <span className="num">{value}</span>
          </span>
        ))}
        {to === null ? null : <em>See the runs</em>}
      </span>
    </>
  );
  return (
    <li>
      {to === null ? (
        <span {...shared} role="img">
          {inside}
        </span>
      ) : (
        <Link {...shared} to={to} tabIndex={-1}>
          {inside}
        </Link>
      )}
    </li>
  );
}
