import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useFetcher, useLocation } from 'react-router';
import { countOf } from '../parts/amounts.ts';
import { Form } from '../parts/Form.tsx';
import { Time } from '../parts/Time.tsx';
import type { loader as progress } from '../routes/jobs.progress.tsx';
import type { BulkTask } from '../services.ts';
import classes from './BulkTasks.module.css';

const verbs = {
  fire: ['Firing', 'Fired'],
  retry: ['Retrying', 'Retried'],
  delete: ['Deleting', 'Deleted'],
} as const;

const progressPage = '/jobs/progress';
const pollMs = 1000;

/**
 * Bulk actions under way and just ended: how far they are, and what came of them. They renew themselves
 * apart from the page, which rests while somebody points at its rows.
 */
export function BulkTasks({ tasks: given }: { tasks: readonly BulkTask[] }) {
  const tasks = useProgress(given);
  const { pathname } = useLocation();
  if (tasks.length === 0) return null;
  return (
    <ul className={classes.tasks} aria-label="Bulk actions">
      {tasks.slice(0, 5).map((task) => (
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

function useProgress(given: readonly BulkTask[]): readonly BulkTask[] {
  const { data, load } = useFetcher<typeof progress>({ key: 'bulk-progress' });
  const [latest, setLatest] = useState(given);
  useEffect(() => setLatest(given), [given]);
  useEffect(() => {
    if (data) setLatest(data.tasks);
  }, [data]);
  const isUnderWay = latest.some(isOpen);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => void load(progressPage), pollMs);
    return () => clearInterval(timer);
  }, [isUnderWay, load]);
  return latest;
}

function isOpen({ finishedAt }: BulkTask): boolean {
  return finishedAt === null;
}

function Progress({ task }: { task: BulkTask }) {
  const { kind, state, total, done, skipped, finishedAt } = task;
  const { pathname, search } = useLocation();
  const isUnderWay = isOpen(task);
  const left = skipped === 0 ? '' : `, ${skipped.toLocaleString('en')} left alone`;
  const words = isUnderWay
    ? `${verbs[kind][0]} ${countOf(total, 'job', 'jobs')}: ${done.toLocaleString('en')} done${left}`
    : `${verbs[kind][1]} ${done.toLocaleString('en')} of ${countOf(total, 'job', 'jobs')}${left}${endings[state]}`;
  return (
    <>
      <span>{words}</span>
      {isUnderWay ? (
        <progress
          aria-label={words}
          {...(total.isMore ? {} : { value: done + skipped, max: Math.max(1, total.count) })}
        />
      ) : null}
      {isUnderWay ? (
        <Form action={progressPage}>
          <input type="hidden" name="task" value={task.id} />
          <input type="hidden" name="next" value={pathname + search} />
          <Button type="submit" name="intent" value="cancel" variant="default" size="compact-xs">
            Stop
          </Button>
        </Form>
      ) : (
        <span className="muted">
          <Time at={finishedAt} />
        </span>
      )}
    </>
  );
}

const endings = {
  waiting: '',
  running: '',
  done: '.',
  cancelled: ', then stopped.',
  failed: ', then failed: see the log of the service.',
} satisfies Record<BulkTask['state'], string>;
