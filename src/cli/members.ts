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

type Act = (place: TeamPlace, options: MemberOptions) => Promise<'done' | 'not-found' | 'not-done'>;

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
  const verb = (name: string, description: string, notDone: string, act: Act) =>
    teamVerb<MemberOptions>(name, description, (place, options) =>
      changeMember(place, options, notDone, act),
    ).requiredOption('--email <E>', 'email address of the account');
  const role = () => new Option('--role <R>', 'role in the team').choices(ROLES);
  verb(
    'add',
    'add an account to a team',
    'is in the team already',
    (place, { email, role: given }) => place.people.addMember(place.teamId, email, given),
  ).addOption(role().default('member'));
  verb('role', "change a member's role", OUTSIDE, (place, { email, role: given }) =>
    place.people.setMemberRole(place.teamId, email, given),
  ).addOption(role().makeOptionMandatory());
  verb('remove', 'remove a member; the account stays', OUTSIDE, (place, { email }) =>
    place.people.expelMember(place.teamId, email),
  );
}

const OUTSIDE = 'is not in the team, or owns it';

async function changeMember(
  place: TeamPlace,
  options: MemberOptions,
  notDone: string,
  act: Act,
): Promise<object> {
  const { teamId, people } = place;
  const before = await people.listTeamMembers(teamId);
  const outcome = await act(place, options);
  if (outcome === 'not-done') throw new CommandFault(`${show(options.email)} ${notDone}.`);
  // The record of a removed member is the one of before.
  const all = [...(await people.listTeamMembers(teamId)), ...before];
  const email = options.email.trim().toLowerCase();
  const found = all.find((each) => each.email === email);
  if (outcome === 'not-found' || !found) throw noAccount(options.email);
  return writeMember(found);
}
