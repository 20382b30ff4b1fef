import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { writeUser } from './records.ts';
import { readSecret, SECRET_FROM } from './secrets.ts';
import { plainVerbs, type Session, show, verbsOf } from './session.ts';

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
  const verb = plainVerbs(session, user);
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
  verb(
    'list',
    'all accounts',
    async ({ people }) => (await people.listUsers()).map(writeUser),
    COLUMNS,
  );
  addAccountVerbs(user, session);
}

export const noAccount = (email: string) =>
  new CommandFault(`there is no account with the email ${show(email)}.`);

/** @param made null: there is no account */
function found<Made>(email: string, made: Made | null): Made {
  if (made === null) throw noAccount(email);
  return made;
}

interface VerbOptions {
  revokeToken?: true;
  yes?: true;
}

function addAccountVerbs(user: Command, session: Session): void {
  const addOptions = (command: Command) => command.requiredOption('--email <E>', 'email address');
  const verb = verbsOf(session, user, addOptions, async ({ email }) => {
    return { email: String(email), people: (await session.open()).people };
  });
  verb('reset-password', 'create a link that sets a new password', async ({ email, people }) => {
    if (!people.takesPasswords()) throw new CommandFault(PASSWORDS_OFF);
    return { resetUrl: found(email, await people.resetPasswordUrl(email)) };
  });
  verb<VerbOptions>(
    'sign-out',
    'end all sessions and open links of an account',
    async ({ email, people }, { revokeToken: tokenRevoked = false }) => {
      found(email, await people.signOut(email, { revokesToken: tokenRevoked }));
      return { email, signedOut: true, tokenRevoked };
    },
  ).option('--revoke-token', 'revoke the API token too');
  verb('token', 'create a new API token; the old one stops working', async ({ email, people }) => {
    return { apiToken: found(email, await people.newToken(email)) };
  });
  verb(
    'confirm-email',
    "confirm that an account's email is its owner's",
    async ({ email, people }) => {
      found(email, await people.confirmEmail(email));
      return { email, confirmed: true };
    },
  );
  verb(
    'unlink',
    "remove an account's link to the provider or proxy, and end its sessions",
    async ({ email, people }) => {
      return { email, wasLinked: found(email, await people.unlink(email)).wasLinked };
    },
  );
  verb<VerbOptions>('delete', 'delete an account', async ({ email, people }, { yes }) => {
    if (!yes) throw new CommandFault(DELETES);
    const teams = found(email, await people.deleteUser(email));
    if (teams.length === 0) return { email, deleted: true };
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
