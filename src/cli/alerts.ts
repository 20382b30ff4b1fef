import type { Command } from 'commander';
import { limitOption } from './options.ts';
import { writeAlert } from './records.ts';
import type { Session } from './session.ts';

export function addAlertCommands(program: Command, session: Session): void {
  program
    .command('alert')
    .description('alerts')
    .command('list')
    .description("a team's alerts, newest first")
    .requiredOption('--team <T>', "the team's name, or its id")
    .addOption(limitOption())
    .action(async ({ team, limit }: { team: string; limit: number }) => {
      const { teamId, work } = await session.findTeam(team);
      session.print((await work.listAlerts(teamId, { limit })).map(writeAlert));
    });
}
