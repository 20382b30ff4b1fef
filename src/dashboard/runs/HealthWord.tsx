import { describeStreakOf, HEALTHS } from '#domain/health';
import { MutedMark } from '../alerts/MaintenanceNotice.tsx';
import type { ActiveWindow } from '../alerts/muted-now.ts';
import { Status } from '../parts/Status.tsx';
import type { QueueListRow, RunResult, SourceHealth } from '../services.ts';
import classes from './HealthWord.module.css';

type HealthWordProps = {
  of: SourceHealth & { recentResults: readonly RunResult[] };
  /** A fact next to the word, if there is no count of failures. */
  note?: string | null;
  /** The windows that mute it, for lists. */
  windows?: readonly ActiveWindow[] | undefined;
};

/** The health of a cron or queue: its word, with `9 of 9` if it fails. */
export function HealthWord({
  of: { health, streak, recentResults },
  note,
  windows,
}: HealthWordProps) {
  const isMarked = windows !== undefined && windows.length > 0;
  if (health === 'muted' && isMarked) return <MutedMark windows={windows} />;
  const finished = recentResults.filter(({ status }) => status !== 'running').length;
  return (
    <>
      <StatusWithCount health={health} streak={streak} finished={finished} note={note} />
      <MutedMark windows={windows} />
    </>
  );
}

type StatusWithCountProps = Pick<SourceHealth, 'health' | 'streak'> & {
  /** How many finished runs the page shows. */
  finished: number;
  note?: string | null | undefined;
};

/** `Failing 9 of 9` */
export function StatusWithCount({ health, streak, finished, note }: StatusWithCountProps) {
  const detail = streak ? describeStreakOf(streak, finished) : note;
  return (
    <span className={classes.health}>
      <Status name={health} />
      {detail ? <small className="num">{detail}</small> : null}
    </span>
  );
}

/** A queue that runs as many jobs as it may. */
export function describeLoad({ queue, running, health }: QueueListRow): string | null {
  const { concurrencyLimit } = queue;
  const isFull = concurrencyLimit !== null && running >= concurrencyLimit;
  return isFull && health !== 'paused' ? 'at its limit' : null;
}

export const healthOptions = HEALTHS.map(
  (health) => [health, health.charAt(0).toUpperCase() + health.slice(1)] as const,
);
