import { ActionButton } from '../forms/Form.tsx';
import { useEffect, useState } from 'react';
import { Link, useFetcher, useLocation } from 'react-router';
import { describeRate } from '#domain/team/rate';
import { countOf } from '../words/amounts.ts';
import { Time } from '../parts/Time.tsx';
import type { loader as progress } from '../routes/jobs.progress.tsx';
import type { BulkTask, ResentCount, ShownTask } from '../services.ts';
import classes from './BulkTasks.module.css';
import { writeJobSearch } from './job-search.ts';

const verbs = {
  fire: ['Firing', 'Fired'],
  retry: ['Retrying', 'Retried'],
  delete: ['Deleting', 'Deleted'],
} as const;

const progressPage = '/jobs/progress';
const pollMs = 1000;
/** Resent jobs may run for a day. */
const pollRunningMs = 5000;
const mostShown = 5;

/** They refresh independently of the page, which pauses while rows are ticked or something is typed. */
export function BulkTasks({ tasks: given }: { tasks: readonly ShownTask[] }) {
  const tasks = useProgress(given);
  const { pathname } = useLocation();
  if (tasks.length === 0) return null;
  return (
    <ul className={classes.tasks} aria-label="Bulk actions">
      {tasks.slice(0, mostShown).map((task) => (
        <li key={task.id}>
          <Progress task={task} />
        </li>
      ))}
      {tasks.some(isOpen) && pathname !== progressPage ? (
        <noscript>
          <li>
            <Link to={progressPage}>Follow the progress</Link>
          </li>
        </noscript>
      ) : null}
    </ul>
  );
}

function useProgress(given: readonly ShownTask[]): readonly ShownTask[] {
  const { data, load } = useFetcher<typeof progress>({ key: 'bulk-progress' });
  const [latest, setLatest] = useState(given);
  useEffect(() => setLatest(given), [given]);
  useEffect(() => {
    // A job's page shows only its own tasks.
    if (data)
      setLatest((shown) =>
        shown.map((task) => data.tasks.find(({ id }) => id === task.id) ?? task),
      );
  }, [data]);
  const hasRunning = latest.some(({ resent }) => resent !== null && resent.underWay > 0);
  const everyMs = latest.some(isOpen) ? pollMs : hasRunning ? pollRunningMs : null;
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void load(progressPage);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, load]);
  return latest;
}

function isOpen({ finishedAt }: Pick<BulkTask, 'finishedAt'>): boolean {
  return finishedAt === null;
}

function Progress({ task }: { task: ShownTask }) {
  const { id, kind, state, total, done, skipped, rate, endsAt, finishedAt, resent } = task;
  const { pathname, search } = useLocation();
  const isUnderWay = isOpen(task);
  const left = skipped === 0 ? '' : `, ${skipped.toLocaleString('en')} skipped`;
  const words = isUnderWay
    ? `${verbs[kind][0]} ${countOf(total, 'job', 'jobs')}: ${done.toLocaleString('en')} done${left}`
    : `${verbs[kind][1]} ${done.toLocaleString('en')} of ${countOf(total, 'job', 'jobs')}${left}${endings[state]}`;
  const ofOne = task.search.id;
  const toResent = ofOne ? `/jobs/${ofOne}` : writeJobSearch({ ...task.search, resent: 'only' });
  return (
    <>
      <span>
        {words}{' '}
        {rate === null || endsAt === null ? null : (
          <>
            Spread at {describeRate(rate)}; the last is due{' '}
            {isUnderWay && total.isMore ? 'later than' : 'at'} <Time at={endsAt} exact />.
          </>
        )}{' '}
        {resent ? (
          <>
            {describeResent(resent)} –{' '}
            <Link to={toResent}>
              {resent.count === 1 ? 'Show the resent job' : 'Show the resent jobs'}
            </Link>
          </>
        ) : null}
      </span>
      {isUnderWay ? (
        <>
          <progress
            aria-label={words}
            {...(total.isMore ? {} : { value: done + skipped, max: Math.max(1, total.count) })}
          />
          <ActionButton
            fields={{ task: id, next: pathname + search }}
            action={progressPage}
            intent="cancel"
            size="small"
          >
            Stop
          </ActionButton>
        </>
      ) : (
        <span className="muted">
          <Time at={finishedAt} />
        </span>
      )}
    </>
  );
}

function describeResent({ succeeded, underWay, failed, gone }: ResentCount): string {
  const parts = [
    [succeeded, 'succeeded'],
    [underWay, 'under way'],
    [failed, 'failed'],
    [gone, 'deleted'],
  ] as const;
  const said = parts.filter(([count]) => count > 0);
  return said.map(([count, word]) => `${count.toLocaleString('en')} ${word}`).join(', ');
}

const endings = {
  waiting: '',
  running: '',
  done: '.',
  cancelled: ', then stopped.',
  failed: ', then failed: see the log of the service.',
} satisfies Record<BulkTask['state'], string>;
