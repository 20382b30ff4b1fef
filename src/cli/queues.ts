import { LIMITS, rangeOf } from '#domain/limits';
import { type Command, Option } from 'commander';
import { readQueueChange, readQueueName } from '#work/resources/queue';
import { addAlertOptions, type AlertOptions, readAlertOptions } from './alert-options.ts';
import {
  addTagFilter,
  addTeamOption,
  eitherOption,
  readTagOptions,
  tagOption,
  withTag,
} from './options.ts';
import { accept, fieldsOf, type Members, refuseBlank } from './readings.ts';
import { writeQueue } from './records.ts';
import type { Session } from './session.ts';

interface QueueOptions extends AlertOptions {
  team: string;
  queue: string;
  timeout?: string;
  retries?: string;
  concurrency?: string;
  rate?: string;
  pause?: true;
  resume?: true;
  deadLetterDays?: string;
  assert?: string;
  emailAlerts?: 'on' | 'off';
  tag?: string[];
  tags?: boolean;
}

const QUEUE_COLUMNS = ['id', 'name', 'is_paused', 'concurrency_limit', 'tags'] as const;

export function addQueueCommands(program: Command, session: Session): void {
  const queue = program.command('queue').description('queues');
  addTagFilter(addTeamOption(queue.command('list').description("a team's queues"))).action(
    async (options: { team: string; tag?: string }) => {
      const { teamId, work } = await session.findTeam(options.team);
      const queues = withTag(await work.listQueues(teamId), options.tag);
      session.printList(queues.map(writeQueue), QUEUE_COLUMNS);
    },
  );
  const set = queue.command('set').description('change a queue, making it if needed');
  addTeamOption(set)
    .requiredOption('--queue <Q>', "the queue's name")
    .option('--timeout <S>', `seconds that an attempt may take, ${rangeOf(LIMITS.timeoutSeconds)}`)
    .option('--retries <LIST>', 'waits before each retry such as "1m,30m,3h", or off')
    .option('--concurrency <N>', 'how many of its jobs may run at once, or none for no limit')
    .option('--rate <RATE>', 'how many of its attempts may start, such as 10/second, or none')
    .addOption(eitherOption('pause', 'resume', 'start none of its jobs'))
    .addOption(eitherOption('resume', 'pause', 'start its jobs again'))
    .option(
      '--dead-letter-days <N>',
      `how long dead letters are kept, ${rangeOf(LIMITS.deadLetterDays)}`,
    )
    .option('--assert <JSON>', 'success assertions')
    .addOption(
      new Option('--email-alerts <SWITCH>', 'mails about failing jobs').choices(['on', 'off']),
    )
    .addOption(tagOption())
    .option('--no-tags', 'have no tags any more');
  addAlertOptions(set).action(async (options: QueueOptions) => {
    const name = accept(
      readQueueName(fieldsOf({ queue: JSON.stringify(options.queue) })),
      OPTION_OF,
    );
    const tags = readTagOptions(options);
    const read = accept(readQueueChange(fieldsOf(membersOf(options))), OPTION_OF);
    const change = { ...read, ...(tags && { tags }) };
    const { teamId, work } = await session.findTeam(options.team);
    const before = await work.findQueueByName(teamId, name);
    const place = { work, teamId };
    const alerts = await readAlertOptions(options, place, before?.alertSettings);
    const whole = { ...change, ...alerts };
    session.print(writeQueue(await work.setQueue(teamId, name, whole)));
  });
}

/** The option that sets each field, for messages. */
const OPTION_OF: Record<string, string> = {
  queue: '--queue',
  timeout_seconds: '--timeout',
  retry_schedule: '--retries',
  concurrency_limit: '--concurrency',
  rate: '--rate',
  assertions: '--assert',
  dead_letter_days: '--dead-letter-days',
};

function membersOf(options: QueueOptions): Members {
  const { timeout, retries, concurrency, rate, pause, resume } = options;
  const { deadLetterDays, assert, emailAlerts } = options;
  const given = {
    timeout_seconds: timeout,
    concurrency_limit: concurrency,
    rate,
    dead_letter_days: deadLetterDays,
    assertions: assert,
  };
  const members: Members = {};
  for (const [field, text] of Object.entries(given)) {
    if (text === undefined) continue;
    refuseBlank(OPTION_OF[field] ?? field, text);
    members[field] = JSON.stringify(text);
  }
  if (retries === 'off') members['retries_enabled'] = 'false';
  else if (retries !== undefined) {
    members['retries_enabled'] = 'true';
    members['retry_schedule'] = JSON.stringify(retries);
  }
  if (pause || resume) members['is_paused'] = String(pause === true);
  if (emailAlerts !== undefined) members['email_alerts'] = String(emailAlerts === 'on');
  return members;
}
