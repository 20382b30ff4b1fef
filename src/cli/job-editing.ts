import type { Command } from 'commander';
import { readJobInput } from '#work/resources/job';
import type { JobDetail } from '#work/jobs';
import { parseUtc } from '#domain/instant';
import { CommandFault } from './fault.ts';
import { repeatedOption } from './options.ts';
import { accept, fieldsOf, type Members, membersOf, writeHeaders } from './readings.ts';
import { writeJob } from './records.ts';
import { noJob, type Session, show } from './session.ts';

/** An option is `false` where its `--no-…` form was given. */
interface EditOptions {
  id: string;
  queue?: string;
  url?: string;
  method?: string;
  header?: string[];
  headers?: boolean;
  payload?: string | false;
  callbackUrl?: string | false;
  at?: string;
}

const OPTION_OF = {
  queue: '--queue',
  url: '--url',
  method: '--method',
  headers: '--header',
  payload: '--payload',
  callback_url: '--callback-url',
} as const;

export function addJobEditing(job: Command, session: Session): void {
  job
    .command('edit')
    .description('change what is given of a pending job')
    .requiredOption('--id <ID>', "the job's id")
    .option('--queue <Q>', 'the name of another queue, which exists')
    .option('--url <U>', 'where its request goes')
    .option('--method <M>', 'GET, POST, PUT, PATCH or DELETE')
    .addOption(repeatedOption('--header <H>', 'a header such as "X-Team: mails"; may be repeated'))
    .option('--no-headers', 'send no headers of its own any more')
    .option('--payload <JSON>', 'an object or a list, sent as it is written')
    .option('--no-payload', 'send no payload any more')
    .option('--callback-url <U>', 'where a summary of the outcome goes')
    .option('--no-callback-url', 'call nobody back any more')
    .option('--at <TIME>', 'when, in UTC: "2026-11-21 22:00", up to 24 hours after it was made')
    .action((options: EditOptions) => editJob(session, options));
}

async function editJob(session: Session, { id, at, ...options }: EditOptions): Promise<void> {
  const { teamId, work } = await session.findTeamOfJob(id);
  const before = await work.findJob(teamId, id);
  if (!before) throw noJob(id);
  const scheduledAt = at === undefined ? before.scheduledAt : readTime(at);
  const reading = readJobInput(fieldsOf({ ...membersOfJob(before), ...readMembers(options) }));
  const { delaySeconds: _, ...input } = accept(reading, OPTION_OF);
  const { kind } = await work.editJob(teamId, id, { ...input, scheduledAt });
  if (kind !== 'done') throw new CommandFault(REFUSALS[kind](id, input.queue));
  const after = await work.findJob(teamId, id);
  if (!after) throw noJob(id);
  session.print(writeJob(after, after.response?.body ?? null));
}

const REFUSALS = {
  'not-found': (id: string) => `there is no job ${show(id)}.`,
  'not-pending': (id: string) => `the job ${show(id)} is not pending; it was left as it is.`,
  'no-queue': (_id: string, queue: string) => `there is no queue ${show(queue)}.`,
  unreadable: (id: string) =>
    `the headers of the job ${show(id)} can't be opened with this APP_KEY; give them anew with --header.`,
  'too-late': () => '--at: A job waits for 24 hours at most, counted from when it was made.',
};

function readTime(text: string): number {
  const at = parseUtc(text);
  if (at !== null) return at;
  throw new CommandFault('--at: It must be a date and a time in UTC, such as 2026-11-21 22:00.');
}

function readMembers({ payload: jsonPayload, ...options }: Omit<EditOptions, 'id' | 'at'>) {
  const { queue, url, method, callbackUrl: callback_url, ...headers } = options;
  return membersOf({ queue, url, method, callback_url }, OPTION_OF, { ...headers, jsonPayload });
}

function membersOfJob(job: JobDetail): Members {
  return {
    queue: JSON.stringify(job.queue),
    url: JSON.stringify(job.url),
    method: JSON.stringify(job.method),
    headers: writeHeaders(job.headers),
    payload: job.payload ?? 'null',
    callback_url: JSON.stringify(job.callbackUrl),
  };
}
