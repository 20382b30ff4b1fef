import { data } from 'react-router';
import { ownPathOf } from '#domain/public-address';
import { notFound, requestFacts, sentForm, services, signedIn } from '../context.ts';
import { redirectWithToast } from '../serving/cookies.ts';
import { EmptyState } from '../lists/EmptyState.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { useAnswer } from '../page/use-answer.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { readText } from '../forms/read-form.ts';
import { AskAgain } from '../runs/AskAgain.tsx';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import { actOnJobs, readKind } from '../runs/job-actions.ts';
import { JobTable } from '../runs/JobTable.tsx';
import type { Route } from './+types/jobs.resent.$task.ts';

/** The jobs that a retry has made, with their current states. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const found = (await work.listResent(team.id, params.task)) ?? notFound();
  const queues = await work.listQueues(team.id);
  const pausedQueueIds = queues.filter(({ isPaused }) => isPaused).map(({ id }) => id);
  return { ...found, pausedQueueIds };
}

export async function action({ context, url }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const form = context.get(sentForm);
  const kind = readKind(form);
  if (kind === null || readText(form, 'job') === '') throw data(null, { status: 400 });
  const { work } = context.get(services);
  const { toast, asks } = await actOnJobs(work, team.id, { kind, form, search: null });
  if (asks) return { asks };
  const { baseUrl } = context.get(requestFacts);
  return redirectWithToast(context, ownPathOf(url, baseUrl), toast);
}

export default function Resent({ loaderData, actionData }: Route.ComponentProps) {
  useLiveRefresh(5);
  const answer = useAnswer(actionData);
  const { task, jobs, pausedQueueIds } = loaderData;
  const isCut = task.resent !== null && jobs.length < task.resent.count - task.resent.gone;
  return (
    <>
      <PageHeader
        title="What became of them"
        note={`${isCut ? `The first ${jobs.length} of the jobs` : 'Jobs'} that a retry made, those that failed first.`}
        parent={{ to: '/jobs', text: 'Jobs' }}
      />
      {answer ? <AskAgain asks={answer.asks} /> : null}
      <BulkTasks tasks={[task]} />
      {jobs.length === 0 ? (
        <EmptyState title="None of them is here any more">
          They were taken back or deleted, or resent again since.
        </EmptyState>
      ) : (
        <JobTable jobs={jobs} tab="all" matching={null} pausedQueueIds={pausedQueueIds} />
      )}
    </>
  );
}
