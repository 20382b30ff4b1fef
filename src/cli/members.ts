import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { writeMember } from './records.ts';
import { addTeamCommand, type Session, show, type TeamPlace } from './session.ts';
import { noAccount } from './users.ts';

const COLUMNS = ['email', 'name', 'role', 'joined_at', 'has_second_factor'] as const;
const ROLES = ['admin', 'member', 'viewer'] as const;

interface MemberOptions {
  email: string;
  role: (typeof ROLES)[number];
}

type Change = Parameters<TeamPlace['people']['changeMember']>[2];

export function addMemberCommands(program: Command, session: Session): void {
  const member = program.command('member').description("teams' members");
  addTeamOption(member.command('list').description("a team's members")).action(
    async ({ team }: { team: string }) => {
      const { teamId, people } = await session.findTeam(team);
      session.printList((await people.listTeamMembers(teamId)).map(writeMember), COLUMNS);
    },
  );
  const teamVerb = addTeamCommand(session, member);
  /** @param notDone  the reason, in words that follow the email */
  const verb = (
    name: string,
    description: string,
    notDone: string,
    change: (role: MemberOptions['role']) => Change,
  ) =>
    teamVerb<MemberOptions>(name, description, (place, { email, role }) =>
      changeMember(place, email, change(role), notDone),
    ).requiredOption('--email <E>', 'email address of the account');
  const role = () => new Option('--role <R>', 'role in the team').choices(ROLES);
  verb('add', 'add an account to a team', 'is in the team already', (detail) => {
    return { action: 'member.added', detail };
  }).addOption(role().default('member'));
  verb('role', "change a member's role", OUTSIDE, (detail) => {
    return { action: 'member.role', detail };
  }).addOption(role().makeOptionMandatory());
  verb('remove', 'remove a member; the account stays', OUTSIDE, () => {
    return { action: 'member.removed' };
  });
}

const OUTSIDE = 'is not in the team, or owns it';

async function changeMember(
  { teamId, people }: TeamPlace,
  given: string,
  change: Change,
  notDone: string,
): Promise<object> {
  const before = await people.listTeamMembers(teamId);
  const isDone = await people.changeMember(given, teamId, change);
  if (isDone === false) throw new CommandFault(`${show(given)} ${notDone}.`);
  // The record of a removed member is the one of before.
  const all = [...(await people.listTeamMembers(teamId)), ...before];
  const email = given.trim().toLowerCase();
  const found = all.find((each) => each.email === email);
  if (isDone === null || !found) throw noAccount(given);
  return writeMember(found);
}
