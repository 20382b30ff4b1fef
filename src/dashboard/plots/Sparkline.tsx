import classes from './RecentResults.module.css';

const height = 22;
const barWidth = 5;

/** From zero, oldest left; read out as one sentence. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const highest = Math.max(1, ...values);
  const total = values.reduce((sum, value) => sum + value, 0);
  const width = Math.max(1, values.length) * barWidth;
  return (
    <svg
      className={classes.strip}
      data-tone="red"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${label}: ${total.toLocaleString('en')} in all, at most ${Math.max(0, ...values).toLocaleString('en')} at a time`}
    >
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
      {values.map((value, at) => {
        // One among thousands must be seen.
        const tall = value === 0 ? 0 : Math.max(2, Math.round((value / highest) * (height - 3)));
        return (
          <rect
            key={at}
            x={at * barWidth}
            y={height - 1 - tall}
            width={barWidth - 1}
            height={tall}
          />
        );
      })}
    </svg>
  );
}
