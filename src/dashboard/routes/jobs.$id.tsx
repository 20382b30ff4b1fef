import { ActionButton } from '../forms/Form.tsx';
import { notFound, open } from '../serving/open.ts';
import { data, Link } from 'react-router';
import { describeDuration, formatMilliseconds } from '#domain/base/duration-words';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { CutText, RequestLine } from '../parts/RequestLine.tsx';
import { Notice } from '../parts/Notice.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { Panel } from '../parts/Panel.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { AskAgain } from '../runs/AskAgain.tsx';
import { isRecent } from '../runs/job-search.ts';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import { actOnJobs, readKind } from '../runs/job-actions.ts';
import { JobActions } from '../runs/JobTable.tsx';
import { readRunPage } from '../runs/read-run.ts';
import { Outcome } from '../runs/run-columns.tsx';
import { describeOutcome, jobStatus } from '../runs/reasons.ts';
import { RunPage, type ShownRun } from '../runs/RunPage.tsx';
import type { JobRunDetail, Work } from '../services.ts';
import classes from '../runs/Run.module.css';
import type { Route } from './+types/jobs.$id.ts';

type ShownJob = ShownRun<JobRunDetail>;

export async function loader(asked: Route.LoaderArgs) {
  const { context } = asked;
  const { team, work, now } = open(context);
  const page = await readRunPage(asked, (work, ...which) => work.readJobDetail(...which));
  const { run } = page;
  // On the page of a retried attempt, the waiting retry.
  const waiting = run.attempts.find(({ status }) => status === 'pending') ?? null;
  const isQueuePaused = waiting !== null && (await isPaused(work, team.id, run.record.queueId));
  const { id, retriedAs } = run.record;
  const [resent, tasks] = retriedAs
    ? await Promise.all([work.listAttempts(team.id, retriedAs), work.listBulkTasks(team.id)])
    : [[], []];
  const activity = await work.listActivityOf(team.id, id);
  const last = resent.at(-1);
  // `again` is for the form that copies the job.
  const { again: _, ...shown } = run;
  return {
    ...page,
    run: shown,
    isQueuePaused,
    activity,
    waitingId: waiting?.id ?? null,
    resentNow: last ? jobStatus(last) : null,
    resends: tasks.filter((task) => task.search.id === id && isRecent(task, now)),
  };
}

async function isPaused(work: Work, teamId: string, queueId: string): Promise<boolean> {
  return (await work.findQueue(teamId, queueId))?.isPaused === true;
}

export async function action({ params: { id }, context }: Route.ActionArgs) {
  const opened = open(context);
  const kind = readKind(opened.form);
  if (kind === null || opened.field('job') !== id) throw data(null, { status: 400 });
  if (!(await opened.work.findJob(opened.team.id, id))) notFound();
  return actOnJobs(opened, { kind, search: null, here: `/jobs/${id}` });
}

export default function JobPage({ loaderData }: Route.ComponentProps) {
  const { run, waitingId, isQueuePaused, resentNow } = loaderData;
  const { record: job } = run;
  const again = `/jobs/new?from=${job.id}`;
  return (
    <>
      <PageHeader
        title={`Job ${job.id.slice(-8)}`}
        every={5}
        beside={
          <>
            <Status name={jobStatus(job)} />
            {job.retriedAs ? <Status name="resent" /> : null}
          </>
        }
        parent={{ to: '/jobs', text: 'Jobs' }}
        note={<RequestLine method={job.method} url={job.url} copy="Copy method and URL" />}
        more={
          <>
            {job.status === 'pending' ? (
              <ButtonLink to={`/jobs/${job.id}/edit`} variant="default">
                Edit
              </ButtonLink>
            ) : null}
            <ButtonLink to={again} variant="default">
              Edit and resend
            </ButtonLink>
            {/* On the page of an earlier attempt. */}
            {waitingId === null || waitingId === job.id ? null : (
              <ActionButton fields={{ job: waitingId }} action={`/jobs/${waitingId}`} intent="fire">
                {isQueuePaused ? 'Fire the retry when the queue is enabled' : 'Fire the retry now'}
              </ActionButton>
            )}
            <JobActions job={job} isQueuePaused={isQueuePaused} />
          </>
        }
      />
      <AskAgain />
      <RunPage
        page={loaderData}
        editTo={again}
        title="Job"
        facts={factsOf(run)}
        above={<BulkTasks tasks={loaderData.resends} />}
        notices={
          job.retriedAs ? (
            <Notice kind="note">
              This job was resent as <Link to={`/jobs/${job.retriedAs}`}>a new job</Link>
              {resentNow === null ? ', which was deleted' : null}.{' '}
              {resentNow ? <Status name={resentNow} /> : null} This one is unchanged.
            </Notice>
          ) : null
        }
        beside={<Attempts run={run} />}
        below={<ActivityPanel activity={loaderData.activity} />}
      />
    </>
  );
}

function factsOf({ record: job, retryOf }: ShownJob) {
  return [
    ['Id', <CutText text={job.id} copy="Copy id" />],
    ['Queue', <Link to={`/queues/${job.queueId}`}>{job.queue}</Link>],
    ['Attempt', job.attemptNumber],
    ['Retry of', retryOf ? <Link to={`/jobs/${retryOf}`}>a failed job</Link> : null],
    ['Created', <Time at={job.createdAt} exact />],
    ['Created by', job.actor],
    ['Scheduled', <Time at={job.scheduledAt} exact />],
  ] as const;
}

/** With the waits between them. */
function Attempts({ run: { record: job, attempts } }: { run: ShownJob }) {
  return (
    <Panel title="Attempts" beside={<span className="muted num">{attempts.length}</span>} isBare>
      <ol className={classes.attempts}>
        {attempts.flatMap((attempt, at) => {
          const before = attempts[at - 1];
          const wait = before?.completedAt ? attempt.scheduledAt - before.completedAt : null;
          return [
            ...(wait === null || wait < 0
              ? []
              : [
                  <li key={`${attempt.id}-wait`} className={classes.wait}>
                    <span />
                    <span>{`waits ${describeDuration(wait)}`}</span>
                  </li>,
                ]),
            <li key={attempt.id} aria-current={attempt.id === job.id ? 'true' : undefined}>
              <span className={classes.number}>{attempt.attemptNumber}</span>
              <Link to={`/jobs/${attempt.id}`}>
                <Status name={jobStatus(attempt)} />
              </Link>
              {attempt.completedAt === null ? (
                <span />
              ) : (
                <Outcome
                  run={attempt}
                  words={`${describeOutcome(attempt)}, ${formatMilliseconds(attempt.durationMs ?? 0)}`}
                />
              )}
              <Time at={attempt.startedAt ?? attempt.scheduledAt} />
            </li>,
          ];
        })}
      </ol>
    </Panel>
  );
}
