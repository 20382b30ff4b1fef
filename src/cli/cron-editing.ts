import { LIMITS, rangeOf } from '#domain/limits';
import type { Command } from 'commander';
import type { Assertion } from '#domain/assertion';
import { parseAssertions } from '#domain/assertions';
import { readCronInput } from '#work/resources/cron';
import type { Cron, CronExtras, SameCron } from '#work/crons';
import type { Work } from '#work/work';
import { addAlertOptions, type AlertOptions } from './alert-options.ts';
import { readAlertOptions } from './alert-options.ts';
import { type CronEnd, MOST_RUNS, NO_END } from '#domain/cron-end';
import { formatUtcMinute } from '#domain/instant';
import { readCronEnd } from '#work/resources/cron';
import { CommandFault, toOneLine } from './fault.ts';
import { addTeamOption, readTagOptions, repeatedOption, tagOption } from './options.ts';
import {
  accept,
  fieldsOf,
  type Members,
  membersOf,
  refuseBlank,
  writeHeaders,
} from './readings.ts';
import { writeCron } from './records.ts';
import { noCron, show, type Session } from './session.ts';

/** An option is `false` where its `--no-…` form was given. */
interface CronOptions extends AlertOptions {
  name?: string;
  url?: string;
  expression?: string;
  method?: string;
  header?: string[];
  headers?: boolean;
  payload?: string | false;
  callbackUrl?: string | false;
  timeout?: string;
  alertThreshold?: string | false;
  assert?: string;
  tag?: string[];
  tags?: boolean;
  endsAt?: string | false;
  maxRuns?: string | false;
}

/** The option that sets each field. */
const OPTION_OF = {
  name: '--name',
  url: '--url',
  cron_expression: '--expression',
  method: '--method',
  headers: '--header',
  payload: '--payload',
  callback_url: '--callback-url',
  timeout_seconds: '--timeout',
  alert_threshold: '--alert-threshold',
  ends_at: '--ends-at',
  max_runs: '--max-runs',
} as const;

export function addCronEditing(cron: Command, session: Session): void {
  addFieldOptions(addTeamOption(cron.command('create').description('make a cron')), ' (required)')
    .option('--paused', 'not to run before it is resumed')
    .action(async ({ team, paused, ...options }: CronOptions & { team: string; paused?: true }) => {
      const members = { ...readMembers(options), is_active: String(!paused) };
      const input = accept(readCronInput(fieldsOf(members)), OPTION_OF);
      const extras = { ...readExtras(options), end: readEnd(options, NO_END) };
      const { teamId, work } = await session.findTeam(team);
      const alerts = await readAlertOptions(options, { work, teamId });
      const same = await work.findSameCron(teamId, input);
      const made = await work.createCron(teamId, input, { ...extras, ...alerts });
      session.print(writeCron(made));
      warnOfSame(session, same);
    });
  addFieldOptions(cron.command('edit').description('change what is given of a cron'))
    .option('--no-headers', 'send no headers of its own any more')
    .option('--no-payload', 'send no payload any more')
    .option('--no-callback-url', 'call nobody back any more')
    .option('--no-alert-threshold', 'raise no alerts any more')
    .option('--no-tags', 'have no tags any more')
    .option('--no-ends-at', 'end at no time')
    .option('--no-max-runs', 'end after no number of runs')
    .requiredOption('--id <ID>', "the cron's id")
    .action(({ id, ...options }: CronOptions & { id: string }) => editCron(session, id, options));
  const verbs = {
    pause: [
      'run a cron no more',
      (work: Work, team: string, id: string) => work.pauseCron(team, id),
    ],
    resume: [
      'run a cron on its schedule again',
      (work: Work, team: string, id: string) => work.startCron(team, id),
    ],
    delete: ['delete a cron with its executions', deleteCron],
  } as const;
  for (const [verb, [description, act]] of Object.entries(verbs)) {
    cron
      .command(verb)
      .description(description)
      .requiredOption('--id <ID>', "the cron's id")
      .action(async ({ id }: { id: string }) => {
        const { teamId, work } = await session.findTeamOfCron(id);
        const changed = await act(work, teamId, id);
        if (!changed) throw noCron(id);
        session.print(writeCron(changed));
      });
  }
}

/** @param mark  stands behind the options that a new cron must have; what is missing is reported all at once */
function addFieldOptions(command: Command, mark = ''): Command {
  command
    .option('--name <N>', `the cron's name${mark}`)
    .option('--url <U>', `where its requests go${mark}`)
    .option('--expression <E>', `when, in UTC: five fields such as "*/5 * * * *", or @daily${mark}`)
    .option('--method <M>', 'GET, POST, PUT, PATCH or DELETE')
    .addOption(repeatedOption('--header <H>', 'a header such as "X-Team: mails"; may be repeated'))
    .option('--payload <TEXT>', 'what is sent')
    .option('--ends-at <TIME>', 'when it ends, in UTC such as "2026-12-31 18:00"')
    .option('--max-runs <N>', `after how many scheduled runs it ends, ${rangeOf(MOST_RUNS)}`)
    .option('--callback-url <U>', 'where a summary of each run goes')
    .option('--timeout <S>', `seconds that a run may take, ${rangeOf(LIMITS.timeoutSeconds)}`)
    .option('--alert-threshold <N>', 'failed runs in a row that raise an alert: 1, 2 or 3')
    .option('--assert <JSON>', 'success assertions')
    .addOption(tagOption());
  return addAlertOptions(command);
}

async function editCron(session: Session, id: string, options: CronOptions): Promise<void> {
  const { teamId, work } = await session.findTeamOfCron(id);
  const before = await work.findCron(teamId, id);
  if (!before) throw noCron(id);
  const given = readMembers(options);
  refuseLosing(before, given, options);
  const reading = readCronInput(fieldsOf({ ...membersOfCron(before), ...given }));
  const { isActive: _, ...input } = accept(reading, OPTION_OF);
  const alerts = await readAlertOptions(options, { work, teamId }, before.alertSettings);
  const same = await work.findSameCron(teamId, input, id);
  const cron = await work.editCron(teamId, id, input, {
    ...readExtras(options),
    end: readEnd(options, before.end),
    ...alerts,
  });
  if (!cron) throw noCron(id);
  session.print(writeCron(cron));
  warnOfSame(session, same);
}

/** Tells of another cron that calls the same URL at the same times (§3.1), in one line. */
function warnOfSame(session: Session, same: SameCron | null): void {
  if (same === null) return;
  const name = show(toOneLine(same.name));
  session.say(`belfry: warning: the cron ${name} (${same.id}) has the same URL and schedule.`);
}

/** Refuses an edit that would save an unreadable part of the cron as empty. */
function refuseLosing({ id, unreadable }: Cron, given: Members, { assert }: CronOptions): void {
  const isReplaced = 'headers' in given && 'payload' in given && assert !== undefined;
  if (unreadable === null || isReplaced) return;
  throw new CommandFault(
    `the cron ${show(id)} cannot be edited as it is: ${unreadable} Give its headers, payload and assertions anew.`,
  );
}

/** What is not given stays. */
function readEnd({ endsAt, maxRuns }: CronOptions, before: CronEnd): CronEnd {
  for (const [option, text] of [
    [OPTION_OF.ends_at, endsAt],
    [OPTION_OF.max_runs, maxRuns],
  ] as const)
    if (typeof text === 'string') refuseBlank(option, text);
  const kept = {
    ends_at: before.endsAt === null ? null : formatUtcMinute(before.endsAt),
    max_runs: before.maxRuns === null ? null : String(before.maxRuns),
  };
  const members = {
    ends_at: JSON.stringify(endsAt === undefined ? kept.ends_at : endsAt || null),
    max_runs: JSON.stringify(maxRuns === undefined ? kept.max_runs : maxRuns || null),
  };
  return accept(readCronEnd(fieldsOf(members)), OPTION_OF);
}

function readMembers(options: CronOptions): Members {
  const texts = {
    name: options.name,
    url: options.url,
    cron_expression: options.expression,
    method: options.method,
    payload: options.payload,
    callback_url: options.callbackUrl,
    timeout_seconds: options.timeout,
    alert_threshold: options.alertThreshold,
  };
  return membersOf(texts, OPTION_OF, options);
}

function membersOfCron(cron: Cron): Members {
  return {
    name: JSON.stringify(cron.name),
    url: JSON.stringify(cron.url),
    cron_expression: JSON.stringify(cron.cronExpression),
    method: JSON.stringify(cron.method),
    headers: writeHeaders(cron.headers),
    payload: JSON.stringify(cron.payload),
    callback_url: JSON.stringify(cron.callbackUrl),
    timeout_seconds: String(cron.timeoutSeconds),
    alert_threshold: JSON.stringify(cron.alertThreshold),
  };
}

/** The extras whose options were given. */
function readExtras(options: CronOptions): Partial<CronExtras> {
  const { assert } = options;
  const tags = readTagOptions(options);
  return {
    ...(assert !== undefined && { assertions: readAssertions(assert) }),
    ...(tags && { tags }),
  };
}

function readAssertions(assert: string): readonly Assertion[] {
  const assertions = parseAssertions(parseList(assert));
  if ('error' in assertions) throw new CommandFault(`--assert: ${assertions.error}`);
  return assertions;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandFault('--assert: Assertions must be a list written as JSON.');
  }
}

/** The cron that is gone, or null. */
async function deleteCron(work: Work, teamId: string, id: string): Promise<Cron | null> {
  const cron = await work.findCron(teamId, id);
  return cron && (await work.deleteCron(teamId, id)) ? cron : null;
}
