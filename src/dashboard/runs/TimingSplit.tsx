import type { Timing } from '#domain/http/exchange';
import { formatMilliseconds } from '#domain/base/duration-words';
import classes from './Run.module.css';

const parts = [
  { key: 'dnsMs', word: 'DNS', tone: 'slate' },
  { key: 'connectMs', word: 'Connect', tone: 'orange' },
  { key: 'tlsMs', word: 'TLS', tone: 'violet' },
  { key: 'waitingMs', word: 'Waiting', tone: 'blue' },
  { key: 'receivingMs', word: 'Receiving', tone: 'teal' },
] as const;

type TimingSplitProps = { timing: Timing; durationMs: number | null };

export function TimingSplit({ timing, durationMs }: TimingSplitProps) {
  return (
    <div className={classes.timing}>
      <div aria-hidden="true">
        {parts.map(({ key, tone }) =>
          timing[key] === null ? null : (
            <i key={key} data-tone={tone} style={{ flexGrow: timing[key] }} />
          ),
        )}
      </div>
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
