import { type Command, Option } from 'commander';
import { readTopLevelFields } from '#domain/json-text';
import type { Reading } from '#work/fields';
import { readQueueChange, readQueueName } from '#work/queue-input';
import { CommandFault } from './fault.ts';
import { eitherOption } from './options.ts';
import { writeQueue } from './records.ts';
import type { Session } from './session.ts';

interface QueueOptions {
  team: string;
  queue: string;
  timeout?: string;
  retries?: string;
  concurrency?: string;
  pause?: true;
  resume?: true;
  deadLetterDays?: string;
  assert?: string;
  emailAlerts?: 'on' | 'off';
}

export function addQueueCommands(program: Command, session: Session): void {
  program
    .command('queue')
    .description('queues')
    .command('set')
    .description('change a queue, making it if needed')
    .requiredOption('--team <T>', "the team's name, or its id")
    .requiredOption('--queue <Q>', "the queue's name")
    .option('--timeout <S>', 'seconds that an attempt may take, 1 to 300')
    .option('--retries <LIST>', 'waits before each retry such as "1m,30m,3h", or off')
    .option('--concurrency <N>', 'how many of its jobs may run at once, or none for no limit')
    .addOption(eitherOption('pause', 'resume', 'start none of its jobs'))
    .addOption(eitherOption('resume', 'pause', 'start its jobs again'))
    .option('--dead-letter-days <N>', 'how long dead letters are kept, 1 to 365')
    .option('--assert <JSON>', 'success assertions')
    .addOption(
      new Option('--email-alerts <SWITCH>', 'mails about failing jobs').choices(['on', 'off']),
    )
    .action(async (options: QueueOptions) => {
      const name = accept(readQueueName(fieldsOf({ queue: options.queue })));
      const change = accept(readQueueChange(fieldsOf(fieldValues(options))));
      const { teamId, work } = await session.findTeam(options.team);
      session.print(writeQueue(await work.setQueue(teamId, name, change)));
    });
}

/** The option that sets each field, for messages. */
const OPTION_OF: Record<string, string> = {
  queue: '--queue',
  timeout_seconds: '--timeout',
  retry_schedule: '--retries',
  concurrency_limit: '--concurrency',
  assertions: '--assert',
  dead_letter_days: '--dead-letter-days',
};

function fieldValues(options: QueueOptions): Record<string, string | boolean> {
  const { timeout, retries, concurrency, pause, resume } = options;
  const { deadLetterDays, assert, emailAlerts } = options;
  const given = {
    timeout_seconds: timeout,
    concurrency_limit: concurrency,
    dead_letter_days: deadLetterDays,
    assertions: assert,
  };
  const values: Record<string, string | boolean> = {};
  for (const [field, text] of Object.entries(given)) {
    if (text === undefined) continue;
    // A form's blank field means the default; on the command line it is a slip.
    if (text.trim() === '') throw new CommandFault(`${OPTION_OF[field] ?? field} is empty.`);
    values[field] = text;
  }
  if (retries === 'off') values['retries_enabled'] = false;
  else if (retries !== undefined) {
    values['retries_enabled'] = true;
    values['retry_schedule'] = retries;
  }
  if (pause || resume) values['is_paused'] = pause === true;
  if (emailAlerts !== undefined) values['email_alerts'] = emailAlerts === 'on';
  return values;
}

function fieldsOf(values: Record<string, string | boolean>) {
  return readTopLevelFields(JSON.stringify(values)) ?? new Map();
}

function accept<Input>(reading: Reading<Input>): Input {
  if (reading.ok) return reading.input;
  const lines = reading.errors.map(
    ([field, messages]) => `${OPTION_OF[field] ?? field}: ${messages.join(' ')}`,
  );
  throw new CommandFault(lines.join(' '));
}
