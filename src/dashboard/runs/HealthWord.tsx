import type { ReactNode } from 'react';
import { hasEnded } from '#domain/cron/cron-end';
import { countFinished, describeStreakOf } from '#domain/alerts/health';
import { MutedMark } from '../alerts/MaintenanceNotice.tsx';
import type { ActiveWindow } from '../alerts/muted-now.ts';
import { ActionButton } from '../forms/Form.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { CronListRow, QueueListRow, RunResult, SourceHealth } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import { useSourceForm } from './SourceList.tsx';
import classes from './HealthWord.module.css';

type HealthWordProps = {
  of: SourceHealth & { recentResults: readonly RunResult[]; windows?: readonly ActiveWindow[] };
  /** A fact next to the word, if there is no count of failures. */
  note?: ReactNode;
  /** In place of the health's own. */
  word?: string | undefined;
};

export function HealthWord({ of, note, word }: HealthWordProps) {
  const { health, streak, recentResults, windows = [] } = of;
  if (health === 'muted' && windows.length > 0) return <MutedMark windows={windows} />;
  const finished = countFinished(recentResults);
  return (
    <>
      <StatusWithCount {...{ health, streak, finished, note, word }} />
      <MutedMark windows={windows} />
    </>
  );
}

type StatusWithCountProps = Pick<SourceHealth, 'health' | 'streak'> & {
  finished: number;
  note?: ReactNode;
  word?: string | undefined;
};

/** `Failing 9 of 9` */
export function StatusWithCount({ health, streak, finished, note, word }: StatusWithCountProps) {
  const detail = streak && !word ? describeStreakOf(streak, finished) : note;
  return (
    <span className={classes.health}>
      <Status name={health} {...(word && { word })} />
      {detail ? <small className="num">{detail}</small> : null}
    </span>
  );
}

/** `Stopped after 3 failures`, how long it is paused, or that it has ended. */
export function describeStop(cron: CronListRow['cron']): Pick<HealthWordProps, 'word' | 'note'> {
  const until = cron.pausedUntil === null ? null : <Until at={cron.pausedUntil} />;
  const stop = describeStopAfter(cron.stoppedAfter);
  if (stop === null) return { note: until ?? (hasEnded(cron) ? 'ended' : null) };
  return until === null ? stop : { ...stop, note: until };
}

export function describeStopAfter(failures: number | null) {
  return failures === null
    ? null
    : { word: 'Stopped', note: `after ${countOf(failures, 'failure')}` };
}

/** Of a stopped cron, on any page. */
export function StartCron({ id }: { id: string }) {
  return (
    <ActionButton {...useSourceForm(`/crons/${id}`)} intent="start" size="small">
      Start
    </ActionButton>
  );
}

/** How long it is paused, or that it runs as many jobs as it may. */
export function describeLoad({ queue, running, health }: QueueListRow): ReactNode {
  if (queue.pausedUntil !== null) return <Until at={queue.pausedUntil} />;
  // An alert about a long pause is open.
  if (queue.isPaused && health === 'late') return 'paused';
  const { concurrencyLimit } = queue;
  const isFull = concurrencyLimit !== null && running >= concurrencyLimit;
  return isFull && health !== 'paused' ? 'at its limit' : null;
}

function Until({ at }: { at: number }) {
  return (
    <>
      until <Time at={at} isAbsolute />
    </>
  );
}
