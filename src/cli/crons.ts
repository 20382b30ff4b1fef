import type { Command } from 'commander';
import type { Work } from '#work/work';
import { CommandFault } from './fault.ts';
import { eitherOption, limitOption } from './options.ts';
import { writeCron, writeExecution } from './records.ts';
import { noCron, show, type Session } from './session.ts';

interface CronOptions {
  team: string;
  cron: string;
  pause?: true;
  start?: true;
  assert?: string;
}

export function addCronCommands(program: Command, session: Session): void {
  const cron = program.command('cron').description('crons');
  cron
    .command('set')
    .description('start or pause a cron, or give it success assertions')
    .requiredOption('--team <T>', "the team's name, or its id")
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
  cron
    .command('list')
    .description("a team's crons")
    .requiredOption('--team <T>', "the team's name, or its id")
    .action(async (options: { team: string }) => {
      const { teamId, work } = await session.findTeam(options.team);
      session.print((await work.listCrons(teamId)).map(writeCron));
    });
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
  program
    .command('execution')
    .description("crons' runs")
    .command('list')
    .description("a cron's executions, newest first")
    .requiredOption('--cron <ID>', "the cron's id")
    .addOption(limitOption())
    .action(async ({ cron, limit }: { cron: string; limit: number }) => {
      const { teamId, work } = await session.findTeamOfCron(cron);
      session.print((await work.listExecutions(teamId, cron, limit)).map(writeExecution));
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
