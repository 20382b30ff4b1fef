import { MOST_IN_STREAK, type Streak } from '#domain/alerts/health';
import { formatShort } from '../words/times.ts';

/** `Failed 4 times in a row since 20 Nov 16:00 UTC`; of a queue: `4 jobs failed in a row since …` */
export function describeStreak(
  kind: 'cron' | 'queue',
  { runs, since }: Pick<Streak, 'runs' | 'since'>,
): string {
  const time = `${formatShort(since)} UTC`;
  const count = `${runs.toLocaleString('en')}${runs >= MOST_IN_STREAK ? ' or more' : ''}`;
  const many = kind === 'cron' ? `Failed ${count} times` : `${count} jobs failed`;
  return runs === 1
    ? `The last ${kind === 'cron' ? 'run' : 'job'} failed, ${time}`
    : `${many} in a row since ${time}`;
}
