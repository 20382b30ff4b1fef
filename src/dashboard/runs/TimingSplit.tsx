import type { Timing } from '#domain/exchange';
import { formatMilliseconds } from '#domain/duration-words';
import { round } from '../plots/plot-scale.ts';
import classes from './Run.module.css';

const parts = [
  { key: 'dnsMs', word: 'DNS', tone: 'slate' },
  { key: 'connectMs', word: 'Connect', tone: 'orange' },
  { key: 'tlsMs', word: 'TLS', tone: 'violet' },
  { key: 'waitingMs', word: 'Waiting', tone: 'blue' },
  { key: 'receivingMs', word: 'Receiving', tone: 'teal' },
] as const;

export function TimingSplit({ timing, durationMs }: { timing: Timing; durationMs: number | null }) {
  const known = parts.flatMap((part) => {
    const ms = timing[part.key];
    return ms === null ? [] : [{ ...part, ms }];
  });
  const whole = Math.max(
    1,
    known.reduce((sum, { ms }) => sum + ms, 0),
  );
  let at = 0;
  return (
    <div className={classes.timing}>
      <svg viewBox="0 0 600 12" preserveAspectRatio="none" aria-hidden="true">
        {known.map(({ key, tone, ms }) => {
          const from = at;
          at += (ms / whole) * 600;
          return (
            <rect
              key={key}
              data-tone={tone}
              x={round(from)}
              width={round(Math.max(1, at - from))}
              y="0"
              height="12"
            />
          );
        })}
      </svg>
      <dl>
        {parts.map(({ key, word, tone }) => (
          <div key={key} data-tone={tone}>
            <dt className="swatch">{word}</dt>
            <dd className="num">
              {timing[key] === null ? (
                <span className="muted">none</span>
              ) : (
                formatMilliseconds(timing[key])
              )}
            </dd>
          </div>
        ))}
        {durationMs === null ? null : (
          <div>
            <dt>Total</dt>
            <dd className="num">{formatMilliseconds(durationMs)}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}
