import { open } from '../serving/open.ts';
import { data } from 'react-router';
import { type Toast } from '../serving/cookies.ts';
import { readOwnPath } from '../serving/own-path.ts';
import { EmptyState } from '../lists/List.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { isRecent } from '../runs/job-search.ts';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import type { Route } from './+types/jobs.progress.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { team, now, work } = open(context);
  const tasks = await work.listBulkTasks(team.id);
  return { tasks: tasks.filter((task) => isRecent(task, now)) };
}

export async function action({ context }: Route.ActionArgs) {
  const { team, field, work, intent, say } = open(context);
  const next = field('next');
  if (intent !== 'cancel') throw data(null, { status: 400 });
  const isCancelled = await work.cancelBulkTask(team.id, field('task'));
  const toast: Toast = isCancelled
    ? { kind: 'done', text: 'The remaining jobs are unchanged. Finished ones stay finished.' }
    : { kind: 'note', text: 'It had ended already.' };
  return say(readOwnPath(next) ?? '/jobs/progress', toast);
}

/** Without scripts it reloads itself; lists would lose ticks and searches. */
export default function BulkProgress({ loaderData: { tasks } }: Route.ComponentProps) {
  const isOpen = tasks.some(({ finishedAt }) => finishedAt === null);
  return (
    <>
      <PageHeader title="Bulk actions" parent={{ to: '/jobs', text: 'Jobs' }} />
      {isOpen ? (
        <noscript>
          <meta httpEquiv="refresh" content="2" />
        </noscript>
      ) : null}
      {tasks.length === 0 ? (
        <EmptyState title="No recent bulk action">
          Firing, retrying or deleting more than 200 jobs runs in the background, with its progress
          and result on this page.
        </EmptyState>
      ) : (
        <BulkTasks tasks={tasks} />
      )}
    </>
  );
}
