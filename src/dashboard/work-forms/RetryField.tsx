import { useRef } from 'react';
import { parseRetrySchedule } from '#domain/judging/retry-schedule';
import { describeDuration } from '#domain/base/duration-words';
import { round } from '../plots/plot-scale.ts';
import classes from '../forms/Form.module.css';
import { useTypedValues } from '../forms/Form.tsx';
import { textIn } from '../forms/values.ts';

export function RetryPreview() {
  const ref = useRef<HTMLDivElement>(null);
  const schedule = parseRetrySchedule(textIn(useTypedValues(ref), 'retry_schedule') ?? '');
  return <div ref={ref}>{schedule ? <RetryTimeline delays={schedule} /> : null}</div>;
}

const width = 380;
const edge = 14;

/** Distances are a root of the delays, so a longer delay is a longer distance and no dot covers another. */
export function RetryTimeline({ delays }: { delays: readonly number[] }) {
  let whole = 0;
  const ends = delays.map((seconds) => (whole += 12 + Math.sqrt(Math.sqrt(seconds))));
  const places = [0, ...ends].map((end) => edge + (end / (whole || 1)) * (width - 2 * edge));
  const total = delays.reduce((sum, seconds) => sum + seconds, 0);
  const words =
    delays.length === 0
      ? 'One attempt, no retries.'
      : `Up to ${delays.length + 1} attempts; the last starts ${describeDuration(total * 1000)} after the first, plus the time that the attempts take.`;
  return (
    <div className={classes.timeline}>
      <svg viewBox={`0 0 ${width} 44`} role="img" aria-label={`Retry timeline: ${words}`}>
        <line x1={edge} x2={places.at(-1)} y1="28" y2="28" />
        {places.map((x, attempt) => (
          <g key={attempt}>
            <circle
              cx={round(x)}
              cy="28"
              r="5"
              data-tone={attempt === 0 ? 'slate' : attempt < delays.length ? 'orange' : 'red'}
            />
            {attempt === 0 ? null : (
              <text x={round((x + (places[attempt - 1] ?? x)) / 2)} y="14" textAnchor="middle">
                {describeDuration((delays[attempt - 1] ?? 0) * 1000)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <p>{words}</p>
    </div>
  );
}
