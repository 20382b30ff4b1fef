import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { addTeamOption } from './options.ts';
import { writeMember } from './records.ts';
import type { OpenRooms } from './services.ts';
import { type Session, show } from './session.ts';
import { noAccount } from './users.ts';

const COLUMNS = ['email', 'name', 'role', 'joined_at', 'has_second_factor'] as const;
const ROLES = ['admin', 'member', 'viewer'] as const;

interface MemberOptions {
  team: string;
  email: string;
  role: (typeof ROLES)[number];
}

type Act = (
  people: OpenRooms['people'],
  teamId: string,
  options: MemberOptions,
) => Promise<'done' | 'not-found' | 'not-done'>;

/** list, add, role and remove. */
export function addMemberCommands(program: Command, session: Session): void {
  const member = program.command('member').description("teams' members");
  addTeamOption(member.command('list').description("a team's members")).action(
    async ({ team }: { team: string }) => {
      const { teamId, people } = await session.identifyTeam(team);
      session.printList((await people.listTeamMembers(teamId)).map(writeMember), COLUMNS);
    },
  );
  /** @param notDone  the reason, in words that follow the email */
  const verb = (name: string, description: string, notDone: string, act: Act) =>
    addTeamOption(member.command(name).description(description))
      .requiredOption('--email <E>', 'email address of the account')
      .action((options: MemberOptions) => changeMember(session, options, notDone, act));
  const role = () => new Option('--role <R>', 'role in the team').choices(ROLES);
  verb(
    'add',
    'add an account to a team',
    'is in the team already',
    (people, teamId, { email, role: given }) => people.addMember(teamId, email, given),
  ).addOption(role().default('member'));
  verb(
    'role',
    "change a member's role",
    'is not in the team, or owns it',
    (people, teamId, { email, role: given }) => people.setMemberRole(teamId, email, given),
  ).addOption(role().makeOptionMandatory());
  verb(
    'remove',
    'remove a member; the account stays',
    'is not in the team, or owns it',
    (people, teamId, { email }) => people.expelMember(teamId, email),
  );
}

async function changeMember(
  session: Session,
  options: MemberOptions,
  notDone: string,
  act: Act,
): Promise<void> {
  const { teamId, people } = await session.identifyTeam(options.team);
  const before = await people.listTeamMembers(teamId);
  const outcome = await act(people, teamId, options);
  if (outcome === 'not-found') throw noAccount(options.email);
  if (outcome === 'not-done') throw new CommandFault(`${show(options.email)} ${notDone}.`);
  const all = [...(await people.listTeamMembers(teamId)), ...before];
  const email = options.email.trim().toLowerCase();
  const found = all.find((each) => each.email === email);
  if (!found) throw noAccount(options.email);
  session.print(writeMember(found));
}
