import { type Command, Option } from 'commander';
import { JOB_STATUSES, type JobStatus } from '#domain/run-status';
import type { JobFilter } from '#work/jobs';
import { readSpread } from '#work/resources/queue';
import type { Work } from '#work/work';
import { CommandFault } from './fault.ts';
import { addListOptions, type ListOptions, printList } from './lists.ts';
import { addTeamOption } from './options.ts';
import { addJobCreation } from './job-creation.ts';
import { addJobEditing } from './job-editing.ts';
import { refuseBlank } from './readings.ts';
import { writeInstant, writeJob } from './records.ts';
import { noJob, show, type Session } from './session.ts';

interface JobListOptions extends ListOptions {
  team: string;
  queue?: string;
  status?: JobStatus;
}

const COLUMNS = [
  'id',
  'status',
  'queue',
  'method',
  'url',
  'scheduled_at',
  'response_status',
  'error_message',
] as const;

export function addJobCommands(program: Command, session: Session): void {
  const job = program.command('job').description('jobs');
  const list = job.command('list').description("a team's jobs, newest first");
  addListOptions(addTeamOption(list))
    .option('--queue <Q>', "a queue's name")
    .addOption(new Option('--status <S>', 'only jobs in this state').choices(JOB_STATUSES))
    .action((options: JobListOptions) => listJobs(session, options));
  addJobCreation(job, session);
  addJobEditing(job, session);
  job
    .command('show')
    .description('one job')
    .requiredOption('--id <ID>', "the job's id")
    .action(({ id }: { id: string }) => showJob(session, id));
  job
    .command('fire')
    .description('make a pending job run now')
    .requiredOption('--id <ID>', "the job's id")
    .action(({ id }: { id: string }) => fireJob(session, id));
  job
    .command('retry')
    .description('make a new job of a failed one, which runs now')
    .requiredOption('--id <ID>', "the job's id")
    .option('--again', 'even if it was resent before')
    .action((options: { id: string; again?: true }) => retryJob(session, options));
  addTeamOption(
    job.command('retry-all').description('make new jobs of all failed ones that were not resent'),
  )
    .option('--queue <Q>', 'only those of the queue of this name')
    .option('--rate <RATE>', 'let them come due one after the other, such as 10/second')
    .action((options: RetryAllOptions) => retryAll(session, options));
  job
    .command('delete')
    .description('delete a pending job, which is then never sent, or a failed one')
    .requiredOption('--id <ID>', "the job's id")
    .action(({ id }: { id: string }) => deleteJob(session, id));
}

async function listJobs(session: Session, { team, queue, status, ...options }: JobListOptions) {
  const { teamId, work } = await session.findTeam(team);
  const queueId = queue === undefined ? undefined : await findQueueId(work, teamId, team, queue);
  const wanted = {
    ...(queueId !== undefined && { queueId }),
    ...(status !== undefined && { status }),
  };
  const readPage = async (page: Pick<JobFilter, 'limit' | 'before'>) => {
    const jobs = await work.listJobs(teamId, { ...wanted, ...page });
    const ids = jobs.map(({ id }) => id);
    const bodies = await work.readResponseBodies(teamId, ids);
    return jobs.map((job) => writeJob(job, bodies.get(job.id) ?? null));
  };
  await printList(session, options, readPage, COLUMNS);
}

async function findQueueId(work: Work, teamId: string, team: string, name: string) {
  const queue = await work.findQueueByName(teamId, name);
  if (!queue) throw new CommandFault(`the team ${show(team)} has no queue ${show(name)}.`);
  return queue.id;
}

async function readRecord(work: Work, teamId: string, jobId: string) {
  const job = await work.findJob(teamId, jobId);
  if (!job) throw noJob(jobId);
  return writeJob(job, job.response?.body ?? null);
}

async function showJob(session: Session, jobId: string): Promise<void> {
  const { teamId, work } = await session.findTeamOfJob(jobId);
  session.print(await readRecord(work, teamId, jobId));
}

async function fireJob(session: Session, jobId: string): Promise<void> {
  const { teamId, work } = await session.findTeamOfJob(jobId);
  const { kind } = await work.fireJob(teamId, jobId);
  const job = await readRecord(work, teamId, jobId);
  if (kind !== 'done') throw refused(jobId, job.status, 'Only pending jobs can be fired.');
  session.print(job);
}

async function retryJob(
  session: Session,
  { id: jobId, again = false }: { id: string; again?: boolean },
): Promise<void> {
  const { teamId, work } = await session.findTeamOfJob(jobId);
  const outcome = await work.retryJob(teamId, jobId, { again });
  if (outcome.kind === 'done') {
    session.print(await readRecord(work, teamId, outcome.jobId));
    return;
  }
  if (outcome.kind === 'resent') {
    const { succeeded, failed, underWay } = outcome.resent;
    const came = succeeded
      ? 'succeeded'
      : failed
        ? 'failed'
        : underWay
          ? 'is under way'
          : 'is gone';
    throw new CommandFault(
      `the job ${show(jobId)} was resent before, as ${show(outcome.jobId)}, which ${came}. With --again it is sent once more.`,
    );
  }
  const { status } = await readRecord(work, teamId, jobId);
  throw refused(jobId, status, 'Only dead-lettered and failed jobs can be retried.');
}

interface RetryAllOptions {
  team: string;
  queue?: string;
  rate?: string;
}

/** Few are retried here, more by the service that runs beside this command or is started next. */
async function retryAll(session: Session, options: RetryAllOptions): Promise<void> {
  const { team, queue, rate: text } = options;
  if (text !== undefined) refuseBlank('--rate', text);
  const spread = readSpread(text ?? '');
  if ('error' in spread) throw new CommandFault(`--rate: ${spread.error}`);
  const { teamId, work } = await session.findTeam(team);
  const queueId = queue === undefined ? undefined : await findQueueId(work, teamId, team, queue);
  const search = { tab: 'failed' as const, ...(queueId !== undefined && { queueId }) };
  const asked = await work.startBulk(teamId, 'retry', search, spread);
  const question = asked.kind === 'asks' ? asked.question : null;
  // Whoever gives a rate here has answered: the time of the last is printed.
  const outcome = question
    ? await work.startBulk(teamId, 'retry', search, { ...spread, isTimed: true })
    : asked;
  if (outcome.kind === 'refused') throw new CommandFault(outcome.error);
  if (outcome.kind === 'asks') throw new Error('a retry was asked about twice');
  const isDone = outcome.kind === 'done';
  const total = isDone
    ? { count: outcome.done + outcome.skipped, isMore: false }
    : outcome.task.total;
  session.print({
    jobs: total.count,
    is_more: total.isMore,
    retried: isDone ? outcome.done : 0,
    state: isDone ? 'done' : outcome.task.state,
    ends_at: writeInstant(question?.spread?.endsAt ?? null),
  });
}

async function deleteJob(session: Session, jobId: string): Promise<void> {
  const { teamId, work } = await session.findTeamOfJob(jobId);
  const job = await readRecord(work, teamId, jobId);
  const { kind } = await work.deleteJob(teamId, jobId);
  if (kind !== 'done') {
    const { status } = await readRecord(work, teamId, jobId);
    throw refused(jobId, status, 'Only pending and failed jobs can be deleted.');
  }
  session.print(job);
}

const refused = (jobId: string, status: string, rule: string) =>
  new CommandFault(`the job ${show(jobId)} is in the state ${status}. ${rule}`);
