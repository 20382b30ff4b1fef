import type { Command } from 'commander';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { writeTeam } from './records.ts';
import type { Session } from './session.ts';
import { addTeamFileCommands } from './team-files.ts';
import { addTeamPauseCommands } from './team-pauses.ts';
import { listErrors } from './users.ts';

const COLUMNS = ['id', 'name', 'plan', 'monthly_limit', 'used', 'created_at'] as const;

export function addTeamCommands(program: Command, session: Session): void {
  const team = program.command('team').description('teams');
  addTeamFileCommands(team, session);
  addTeamPauseCommands(team, session);
  team
    .command('list')
    .description('the teams with plan and usage')
    .action(async () => {
      const { people } = await session.open();
      const teams = await people.listTeams();
      session.printList(teams.map(writeTeam), COLUMNS);
    });
  addTeamOption(team.command('plan').description('put a team on a plan of the setting PLANS'))
    .requiredOption('--plan <NAME>', "the plan's name")
    .action(async (options: { team: string; plan: string }) => {
      const { teamId, people } = await session.identifyTeam(options.team);
      const outcome = await people.setPlan(teamId, options.plan);
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      if (outcome.kind === 'not-found') throw new CommandFault('the team was just deleted.');
      session.print(writeTeam(outcome.team));
    });
  const secret = team.command('signing-secret');
  addTeamOption(
    secret.description("make a team's signing secret, replacing the one it has"),
  ).action(async ({ team: name }: { team: string }) => {
    const { teamId, people } = await session.identifyTeam(name);
    session.print({ signingSecret: await people.generateSigningSecret(teamId) });
  });
}
