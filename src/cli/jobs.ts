import { type Command, Option } from 'commander';
import { formatMillis } from '#domain/base/instant';
import { JOB_STATUSES, type JobStatus } from '#domain/runs/run-status';
import type { BulkOutcome, BulkQuestion } from '#work/bulk-actions';
import type { JobDetail } from '#work/jobs';
import { JOB, JOB_EDIT } from '#work/resources/job';
import { readSpread } from '#work/resources/queue';
import { readWhole } from '#work/resources/resource';
import { explainJob } from '#work/run-pages';
import type { Work } from '#work/work';
import { type ItemPlace, itemVerbs } from './collection-commands.ts';
import { CommandFault } from './fault.ts';
import { accept, addFieldOptions, type Options, readOptions } from './fields.ts';
import { addTeamList } from './lists.ts';
import { addTeamOption } from './options.ts';
import { writeExplanation, writeJob } from './records.ts';
import { refuseBlank } from './secrets.ts';
import { missing, type Session, show } from './session.ts';

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

interface Narrowing {
  team: string;
  queue?: string | undefined;
  status?: JobStatus;
}

export function addJobCommands(program: Command, session: Session): void {
  const job = program.command('job').description('jobs');
  const list = job
    .command('list')
    .description("a team's jobs, newest first")
    .option('--queue <Q>', "a queue's name")
    .addOption(new Option('--status <S>', 'only jobs in this state').choices(JOB_STATUSES));
  addTeamList(session, list, COLUMNS, async ({ work, teamId }, page, given: Narrowing) => {
    const of = await findQueue(work, teamId, given);
    const status = given.status && { status: given.status };
    const jobs = await work.listJobs(teamId, { ...of, ...status, ...page });
    const ids = jobs.map(({ id }) => id);
    const bodies = await work.readResponseBodies(teamId, ids);
    return jobs.map((each) => writeJob(each, bodies.get(each.id) ?? null));
  });
  const create = job.command('create').description('create a job, now or up to 24 hours later');
  addFieldOptions(addTeamOption(create), JOB, { isNew: true, takesNone: false }).action(
    async ({ team, ...options }: Options & { team: string }) => {
      const input = accept(JOB, readWhole(JOB, await readOptions(session, JOB, options)));
      const { teamId, work } = await session.findTeam(team);
      const { jobId } = await work.createJob(teamId, input);
      session.print(await readRecord({ work, teamId }, jobId));
    },
  );
  addJobVerbs(job, session);
  addTeamOption(
    job.command('retry-all').description('make new jobs of all failed ones that were not resent'),
  )
    .option('--queue <Q>', 'only those of the queue of this name')
    .option('--rate <RATE>', 'let them come due one after the other, such as 10/second')
    .action((options: RetryAllOptions) => retryAll(session, options));
}

function addJobVerbs(job: Command, session: Session): void {
  const verb = itemVerbs<JobDetail>(session, job, { kind: 'job', find: findJob });
  addFieldOptions(verb('edit', 'change the given fields of a pending job', editJob), JOB_EDIT);
  verb('show', 'one job', async ({ item }) => {
    return { ...recordOf(item), explanation: writeExplanation(explainJob(item)) };
  });
  verb('fire', 'run a pending job now', async (place) => {
    const { kind } = await place.work.fireJob(place.teamId, place.item.id);
    const record = await readRecord(place, place.item.id);
    if (kind !== 'done') throw refused(record, 'Only pending jobs can be fired.');
    return record;
  });
  verb('retry', 'make a new job of a failed one, which runs now', retryJob).option(
    '--again',
    'even if it was resent before',
  );
  verb(
    'delete',
    'delete a pending job, which is then never sent, or a failed one',
    async (place) => {
      const { work, teamId, item } = place;
      if ((await work.deleteJob(teamId, item.id)).kind === 'done') return recordOf(item);
      throw refused(
        await readRecord(place, place.item.id),
        'Only pending and failed jobs can be deleted.',
      );
    },
  );
}

async function findQueue(
  work: Work,
  teamId: string,
  { team, queue: name }: Narrowing,
): Promise<{ queueId?: string }> {
  if (name === undefined) return {};
  const queue = await work.findQueueByName(teamId, name);
  if (!queue) throw new CommandFault(`the team ${show(team)} has no queue ${show(name)}.`);
  return { queueId: queue.id };
}

type JobRecord = ReturnType<typeof writeJob>;
type Place = ItemPlace<JobDetail>;

const findJob = (work: Work, teamId: string, id: string) => work.findJob(teamId, id);
const recordOf = (job: JobDetail) => writeJob(job, job.response?.body ?? null);

async function readRecord(
  { work, teamId }: Pick<Place, 'work' | 'teamId'>,
  id: string,
): Promise<JobRecord> {
  const job = await work.findJob(teamId, id);
  if (!job) throw missing('job', id);
  return recordOf(job);
}

async function editJob(place: Place, options: Options): Promise<JobRecord> {
  const { session, work, teamId, item } = place;
  const fields = await readOptions(session, JOB_EDIT, options);
  const stored = { ...item, payloadJson: item.payload };
  const edit = accept(JOB_EDIT, readWhole(JOB_EDIT, fields, { stored }));
  const { kind } = await work.editJob(teamId, item.id, edit);
  if (kind !== 'done') throw new CommandFault(REFUSALS[kind](item.id, edit.queue));
  return readRecord(place, place.item.id);
}

const REFUSALS = {
  'not-found': (id: string) => `there is no job ${show(id)}.`,
  'not-pending': (id: string) => `the job ${show(id)} is not pending; it was left as it is.`,
  'no-queue': (_id: string, queue: string) => `there is no queue ${show(queue)}.`,
  unreadable: (id: string) =>
    `the headers of the job ${show(id)} can't be opened with this APP_KEY; give them anew with --header.`,
  'too-late': () => '--at: A job waits for 24 hours at most, counted from when it was made.',
};

async function retryJob(place: Place, { again }: Options): Promise<JobRecord> {
  const { id } = place.item;
  const outcome = await place.work.retryJob(place.teamId, id, { again: again === true });
  if (outcome.kind === 'done') return readRecord(place, outcome.jobId);
  if (outcome.kind !== 'resent')
    throw refused(
      await readRecord(place, place.item.id),
      'Only dead-lettered and failed jobs can be retried.',
    );
  const { succeeded, failed, underWay } = outcome.resent;
  const states = { succeeded, failed, 'is under way': underWay };
  const [state = 'is gone'] = Object.entries(states).find(([, count]) => count > 0) ?? [];
  throw new CommandFault(
    `the job ${show(id)} was resent before, as ${show(outcome.jobId)}, which ${state}. With --again it is sent once more.`,
  );
}

const refused = ({ id, status }: JobRecord, rule: string) =>
  new CommandFault(`the job ${show(id)} is in the state ${status}. ${rule}`);

interface RetryAllOptions {
  team: string;
  queue?: string;
  rate?: string;
}

/** More are retried by the service. */
async function retryAll(session: Session, { team, queue, rate }: RetryAllOptions): Promise<void> {
  if (rate !== undefined) refuseBlank('--rate', rate);
  const spread = readSpread(rate ?? '');
  if ('error' in spread) throw new CommandFault(`--rate: ${spread.error}`);
  const { teamId, work } = await session.findTeam(team);
  const narrowed = await findQueue(work, teamId, { team, queue });
  const search = { tab: 'failed' as const, ...narrowed };
  const asked = await work.startBulk(teamId, 'retry', search, spread);
  if (asked.kind !== 'asks') return printRetry(session, asked, null);
  // No question is needed: the output shows when the last one is due.
  const outcome = await work.startBulk(teamId, 'retry', search, { ...spread, isTimed: true });
  printRetry(session, outcome, asked.question);
}

function printRetry(session: Session, outcome: BulkOutcome, question: BulkQuestion | null): void {
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
    ends_at: formatMillis(question?.spread?.endsAt ?? null),
  });
}
