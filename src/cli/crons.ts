import type { Command } from 'commander';
import type { Work } from '#work/work';
import { addCronActs } from './cron-acts.ts';
import { addCronEditing } from './cron-editing.ts';
import { CommandFault } from './fault.ts';
import { addListOptions, type ListOptions, printList } from './lists.ts';
import { addTagFilter, addTeamOption, eitherOption, withTag } from './options.ts';
import { writeCron, writeExecution } from './records.ts';
import { noCron, show, type Session } from './session.ts';

interface CronOptions {
  team: string;
  cron: string;
  pause?: true;
  start?: true;
  assert?: string;
}

const CRON_COLUMNS = ['id', 'name', 'cron_expression', 'url', 'is_active', 'next_run_at'] as const;
const EXECUTION_COLUMNS = [
  'id',
  'status',
  'scheduled_for',
  'completed_at',
  'duration_ms',
  'response_status',
  'error_message',
] as const;

export function addCronCommands(program: Command, session: Session): void {
  const cron = program.command('cron').description('crons');
  addCronEditing(cron, session);
  addCronActs(cron, session);
  addTeamOption(cron.command('set').description('start or pause a cron, or give it assertions'))
    .requiredOption('--cron <ID>', "the cron's id")
    .addOption(eitherOption('pause', 'start', 'run it no more'))
    .addOption(eitherOption('start', 'pause', 'run it on its schedule again'))
    .option('--assert <JSON>', 'success assertions')
    .action(async (options: CronOptions) => {
      const assertions = options.assert === undefined ? undefined : parseJson(options.assert);
      const { teamId, work } = await session.findTeam(options.team);
      if (assertions !== undefined) await setAssertions(work, teamId, options, assertions);
      session.print(writeCron(await startOrPause(work, teamId, options)));
    });
  addTagFilter(addTeamOption(cron.command('list').description("a team's crons"))).action(
    async (options: { team: string; tag?: string }) => {
      const { teamId, work } = await session.findTeam(options.team);
      const crons = withTag(await work.listCrons(teamId), options.tag);
      session.printList(crons.map(writeCron), CRON_COLUMNS);
    },
  );
  cron
    .command('run')
    .description('run a cron now, beside its schedule')
    .requiredOption('--id <ID>', "the cron's id")
    .action(async ({ id }: { id: string }) => {
      const { teamId, work } = await session.findTeamOfCron(id);
      const execution = await work.runCronNow(teamId, id);
      if (!execution) throw noCron(id);
      session.print(writeExecution(execution));
    });
}

export function addExecutionCommands(program: Command, session: Session): void {
  const list = program
    .command('execution')
    .description("crons' runs")
    .command('list')
    .description("a cron's executions, newest first")
    .requiredOption('--cron <ID>', "the cron's id");
  addListOptions(list).action(async ({ cron, ...options }: ListOptions & { cron: string }) => {
    const { teamId, work } = await session.findTeamOfCron(cron);
    const readPage = async ({ limit, before }: { limit: number; before?: string }) =>
      (await work.listExecutions(teamId, cron, limit, before)).map(writeExecution);
    await printList(session, options, readPage, EXECUTION_COLUMNS);
  });
}

async function setAssertions(
  work: Work,
  teamId: string,
  { team, cron }: CronOptions,
  assertions: unknown,
): Promise<void> {
  const outcome = await work.setCronAssertions(teamId, cron, assertions);
  if (outcome.kind === 'refused') throw new CommandFault(`--assert: ${outcome.error}`);
  if (outcome.kind === 'not-found') throw notOfTeam(team, cron);
}

async function startOrPause(work: Work, teamId: string, options: CronOptions) {
  const cron = await (options.pause
    ? work.pauseCron(teamId, options.cron)
    : options.start
      ? work.startCron(teamId, options.cron)
      : work.findCron(teamId, options.cron));
  if (!cron) throw notOfTeam(options.team, options.cron);
  return cron;
}

const notOfTeam = (team: string, cron: string) =>
  new CommandFault(`the team ${show(team)} has no cron ${show(cron)}.`);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandFault('--assert: Assertions must be a list written as JSON.');
  }
}
