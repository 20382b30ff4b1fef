import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { writeUser } from './records.ts';
import { readSecret, SECRET_FROM } from './secrets.ts';
import type { OpenModules } from './services.ts';
import { show, type Session } from './session.ts';

const COLUMNS = ['id', 'email', 'name', 'is_email_verified', 'has_second_factor'] as const;
const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

interface NewUserOptions {
  email: string;
  password: string;
  name?: string;
  team?: string;
  role?: (typeof ROLES)[number];
}

export function addUserCommands(program: Command, session: Session): void {
  const user = program.command('user').description('accounts');
  user
    .command('create')
    .description('create an account, and its team if no team has that name')
    .requiredOption('--email <E>', 'email address')
    .requiredOption('--password <P>', `password, at least 8 characters${SECRET_FROM}`)
    .option('--name <N>', "the person's name")
    .option('--team <T>', "the team's name, or its id")
    .addOption(new Option('--role <R>', 'role in the team').choices(ROLES))
    .action(async (options: NewUserOptions) => {
      const password = await readSecret(session, '--password', options.password);
      const { people } = await session.open();
      const outcome = await people.createUser({ ...options, password });
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      const { userId, teamId, apiToken } = outcome;
      session.print({ userId, teamId, apiToken });
    });
  user
    .command('list')
    .description('all accounts')
    .action(async () => {
      const { people } = await session.open();
      session.printList((await people.listUsers()).map(writeUser), COLUMNS);
    });
  addAccountVerbs(user, session);
}

export const noAccount = (email: string) =>
  new CommandFault(`there is no account with the email ${show(email)}.`);

interface VerbOptions {
  revokeToken?: true;
  yes?: true;
}

type Act = (
  people: OpenModules['people'],
  email: string,
  options: VerbOptions,
) => Promise<object | null>;

/** Null: there is no account. */
function addAccountVerbs(user: Command, session: Session): void {
  const verb = (name: string, description: string, act: Act) =>
    user
      .command(name)
      .description(description)
      .requiredOption('--email <E>', 'email address')
      .action(async ({ email, ...options }: VerbOptions & { email: string }) => {
        const record = await act((await session.open()).people, email, options);
        if (record === null) throw noAccount(email);
        session.print(record);
      });
  verb('reset-password', 'create a link that sets a new password', async (people, email) => {
    if (!people.takesPasswords()) throw new CommandFault(PASSWORDS_OFF);
    const resetUrl = await people.resetPasswordUrl(email);
    return resetUrl === null ? null : { resetUrl };
  });
  verb(
    'sign-out',
    'end all sessions and open links of an account',
    async (people, email, given) => {
      const tokenRevoked = given.revokeToken === true;
      const isDone = await people.signOut(email, { revokesToken: tokenRevoked });
      return isDone && { email, signedOut: true, tokenRevoked };
    },
  ).option('--revoke-token', 'revoke the API token too');
  verb('token', 'create a new API token; the old one stops working', async (people, email) => {
    const apiToken = await people.newToken(email);
    return apiToken === null ? null : { apiToken };
  });
  verb(
    'confirm-email',
    "confirm that an account's email is its owner's",
    async (people, email) => (await people.confirmEmail(email)) && { email, confirmed: true },
  );
  verb(
    'unlink',
    "remove an account's link to the provider or proxy, and end its sessions",
    async (people, email) => {
      const outcome = await people.unlink(email);
      return outcome && { email, wasLinked: outcome.wasLinked };
    },
  );
  verb('delete', 'delete an account', async (people, email, { yes }) => {
    if (yes !== true) throw new CommandFault(DELETES);
    const teams = await people.deleteUser(email);
    if (teams === null || teams.length === 0) return teams && { email, deleted: true };
    const names = teams.map(({ name }) => show(name)).join(', ');
    throw new CommandFault(
      `the account owns teams with other members: ${names}. Transfer or delete them first.`,
    );
  }).option('--yes', 'confirm');
}

const DELETES =
  'this deletes the account, and its teams that have no other member; add --yes to confirm.';
const PASSWORDS_OFF =
  'PASSWORD_SIGN_IN is off, so a new password would open nothing; set it to on, or let the provider help.';

/** `--email: Enter a valid email address. --password: Use at least 8 characters.` */
export function listErrors(errors: Record<string, readonly string[]>): string {
  return Object.entries(errors)
    .map(([field, messages]) => `--${field}: ${messages.join(' ')}`)
    .join(' ');
}
