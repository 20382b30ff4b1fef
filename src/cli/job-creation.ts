import { LIMITS, rangeOf } from '#domain/limits';
import type { Command } from 'commander';
import { readJobInput } from '#work/resources/job';
import { addTeamOption, repeatedOption } from './options.ts';
import { accept, fieldsOf, membersOf } from './readings.ts';
import { writeJob } from './records.ts';
import { noJob, type Session } from './session.ts';

interface JobOptions {
  team: string;
  queue: string;
  url: string;
  method?: string;
  header?: string[];
  payload?: string;
  callbackUrl?: string;
  delay?: string;
}

/** The option that sets each field. */
const OPTION_OF = {
  queue: '--queue',
  url: '--url',
  method: '--method',
  headers: '--header',
  payload: '--payload',
  callback_url: '--callback-url',
  delay: '--delay',
} as const;

export function addJobCreation(job: Command, session: Session): void {
  addTeamOption(job.command('create').description('make a job, now or up to 24 hours later'))
    .requiredOption('--queue <Q>', "the queue's name; it is made if needed")
    .requiredOption('--url <U>', 'where its request goes')
    .option('--method <M>', 'GET, POST, PUT, PATCH or DELETE')
    .addOption(repeatedOption('--header <H>', 'a header such as "X-Team: mails"; may be repeated'))
    .option('--payload <JSON>', 'an object or a list, sent as it is written')
    .option('--callback-url <U>', 'where a summary of the outcome goes')
    .option('--delay <S>', `seconds before the first attempt, ${rangeOf(LIMITS.delaySeconds)}`)
    .action(async ({ team, ...options }: JobOptions) => {
      const input = accept(readJobInput(fieldsOf(readMembers(options))), OPTION_OF);
      const { teamId, work } = await session.findTeam(team);
      const { jobId } = await work.createJob(teamId, input);
      const made = await work.findJob(teamId, jobId);
      if (!made) throw noJob(jobId);
      session.print(writeJob(made, made.response?.body ?? null));
    });
}

function readMembers({ header, payload: jsonPayload, ...options }: Omit<JobOptions, 'team'>) {
  const { queue, url, method, callbackUrl: callback_url, delay } = options;
  const texts = { queue, url, method, callback_url, delay };
  return membersOf(texts, OPTION_OF, { ...(header && { header }), jsonPayload });
}
