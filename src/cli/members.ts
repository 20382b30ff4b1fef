import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { writeMember, writeServiceAccount } from './records.ts';
import { type Session, show, type TeamPlace, teamVerbs } from './session.ts';
import { listErrors, noAccount } from './users.ts';

const COLUMNS = ['email', 'name', 'role', 'joined_at', 'has_second_factor'] as const;
const ACCOUNT_COLUMNS = ['id', 'name', 'hint', 'made_by', 'created_at', 'last_used_at'] as const;
const ROLES = ['admin', 'member', 'viewer'] as const;

interface MemberOptions {
  email: string;
  role: (typeof ROLES)[number];
}

type Change = Parameters<TeamPlace['people']['changeMember']>[2];

export function addMemberCommands(program: Command, session: Session): void {
  const member = program.command('member').description("teams' members");
  const teamVerb = teamVerbs(session, member);
  teamVerb(
    'list',
    "a team's members",
    async ({ teamId, people }) => (await people.listTeamMembers(teamId)).map(writeMember),
    COLUMNS,
  );
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

export function addServiceAccountCommands(program: Command, session: Session): void {
  const group = program
    .command('service-account')
    .description('API tokens of a team that belong to no user');
  const verb = teamVerbs(session, group);
  verb(
    'list',
    "a team's service accounts",
    async ({ teamId, people }) =>
      (await people.listServiceAccounts(teamId)).map(writeServiceAccount),
    ACCOUNT_COLUMNS,
  );
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
