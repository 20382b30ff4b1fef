import type { Command } from 'commander';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { writeServiceAccount } from './records.ts';
import { addTeamCommand, type Session, show, type TeamPlace } from './session.ts';
import { listErrors } from './users.ts';

const COLUMNS = ['id', 'name', 'hint', 'made_by', 'created_at', 'last_used_at'] as const;

export function addServiceAccountCommands(program: Command, session: Session): void {
  const group = program
    .command('service-account')
    .description('API tokens of a team that belong to no user');
  addTeamOption(group.command('list').description("a team's service accounts")).action(
    async ({ team }: { team: string }) => {
      const { teamId, people } = await session.findTeam(team);
      const accounts = await people.listServiceAccounts(teamId);
      session.printList(accounts.map(writeServiceAccount), COLUMNS);
    },
  );
  const verb = addTeamCommand(session, group);
  verb<{ name: string }>(
    'create',
    'create one; its token is printed only now',
    async ({ teamId, people }, { name }) => {
      const outcome = await people.createServiceAccount(teamId, name);
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      return { id: outcome.id, apiToken: outcome.token };
    },
  ).requiredOption('--name <N>', 'where its token is used, such as billing-service');
  verb<{ name: string }>('revoke', 'delete one; its token stops working', revoke).requiredOption(
    '--name <N>',
    'its name',
  );
}

async function revoke({ teamId, people }: TeamPlace, { name }: { name: string }): Promise<object> {
  const account = (await people.listServiceAccounts(teamId)).find((each) => each.name === name);
  const isRevoked = account && (await people.revokeServiceAccount(teamId, account.id));
  if (!isRevoked) throw new CommandFault(`the team has no service account ${show(name)}.`);
  return { ...writeServiceAccount(account), revoked: true };
}
