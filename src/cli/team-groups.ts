import { type Command, Option } from 'commander';
import type { TeamGroup } from '#people/operator';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { writeInstant } from './records.ts';
import { show, type Session } from './session.ts';
import { listErrors } from './users.ts';

const COLUMNS = ['name', 'role', 'members', 'created_at'] as const;

/** The groups of the provider or proxy that a team lets in. */
export function addTeamGroupCommands(team: Command, session: Session): void {
  const group = team.command('group').description('groups whose people are members');
  addTeamOption(group.command('list').description('the groups that a team lets in')).action(
    async (options: { team: string }) => {
      const { teamId, people } = await open(session, options);
      session.printList((await people.listGroups(teamId)).map(writeGroup), COLUMNS);
    },
  );
  addTeamOption(group.command('set').description('let a group in, or give it another role'))
    .requiredOption('--group <G>', 'its name, as the sign-in writes it')
    .addOption(
      new Option('--role <R>', 'what its people are')
        .choices(['admin', 'member', 'viewer'])
        .makeOptionMandatory(),
    )
    .action(async (options: { team: string; group: string; role: string }) => {
      const { teamId, people } = await open(session, options);
      const outcome = await people.setGroup(teamId, options);
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      const set = (await people.listGroups(teamId)).find(
        ({ name }) => name === options.group.trim(),
      );
      if (set) session.print(writeGroup(set));
    });
  addTeamOption(
    group.command('remove').description('let a group in no longer; who came by it leaves'),
  )
    .requiredOption('--group <G>', 'its name')
    .action(async (options: { team: string; group: string }) => {
      const { teamId, people } = await open(session, options);
      const had = (await people.listGroups(teamId)).find(({ name }) => name === options.group);
      const outcome = await people.removeGroup(teamId, options.group);
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      if (!had || outcome.kind === 'not-found') {
        throw new CommandFault(`the team lets in no group ${show(options.group)}.`);
      }
      session.print(writeGroup(had));
    });
}

async function open(session: Session, { team }: { team: string }) {
  const { teamId } = await session.findTeam(team);
  const { people } = await session.open();
  return { teamId, people };
}

function writeGroup({ name, role, members, createdAt }: TeamGroup) {
  return { name, role, members, created_at: writeInstant(createdAt) };
}
