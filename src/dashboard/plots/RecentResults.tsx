import { countOf } from '#domain/base/amounts';
import { formatMilliseconds } from '#domain/base/duration-words';
import { formatUtc } from '../words/times.ts';
import classes from './RecentResults.module.css';

export type Result = {
  id: string;
  status: 'success' | 'failed' | 'running';
  completedAt: number | null;
  durationMs: number | null;
  responseStatus: number | null;
};

const words = { success: 'Success', failed: 'Failed', running: 'Running' };
const tones = { success: 'teal', failed: 'red', running: 'blue' };
const slots = 50;
const barWidth = 4;
const height = 22;

/**
 * Oldest left. A failure is red and full height, a success as tall as it was slow. Screen readers read one sentence.
 */
export function RecentResults({
  results,
  isWide = false,
}: {
  results: readonly Result[];
  /** As wide as its place. */
  isWide?: boolean;
}) {
  const shown = results.slice(-slots);
  const slowest = Math.max(1, ...shown.map(({ durationMs }) => durationMs ?? 0));
  const failed = shown.filter(({ status }) => status === 'failed').length;
  const sentence =
    shown.length === 0
      ? 'No runs yet'
      : `Last ${countOf(shown.length, 'run')}: ${shown.length - failed} without failure, ${failed} failed`;
  return (
    <svg
      className={classes.strip}
      width={isWide ? '100%' : slots * barWidth}
      height={isWide ? 2 * height : height}
      viewBox={`0 0 ${slots * barWidth} ${height}`}
      // The oldest are cut off, never the newest.
      preserveAspectRatio={isWide ? 'none' : 'xMaxYMid slice'}
      role="img"
      aria-label={sentence}
    >
      <line x1="0" x2={slots * barWidth} y1={height - 0.5} y2={height - 0.5} />
      {shown.map((result, at) => {
        const tall =
          result.status === 'failed' ? height - 2 : 4 + 12 * ((result.durationMs ?? 0) / slowest);
        return (
          <rect
            key={result.id}
            data-tone={tones[result.status]}
            x={(slots - shown.length + at) * barWidth}
            y={Math.round(height - 1 - tall)}
            width={barWidth - 1}
            height={Math.round(tall)}
          >
            <title>{describeResult(result)}</title>
          </rect>
        );
      })}
    </svg>
  );
}

function describeResult({ status, completedAt, durationMs, responseStatus }: Result): string {
  const facts = [
    words[status],
    responseStatus === null ? null : `HTTP ${responseStatus}`,
    durationMs === null ? null : formatMilliseconds(durationMs),
    completedAt === null ? null : formatUtc(completedAt),
  ];
  return facts.filter((fact) => fact !== null).join(' · ');
}
