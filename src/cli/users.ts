import { type Command, Option } from 'commander';
import { CommandFault } from './fault.ts';
import { readSecret, SECRET_FROM } from './secrets.ts';
import { show, type Session } from './session.ts';

interface NewUserOptions {
  email: string;
  password: string;
  name?: string;
  team?: string;
  role?: 'owner' | 'admin' | 'member' | 'viewer';
}

export function addUserCommands(program: Command, session: Session): void {
  const user = program.command('user').description('accounts');
  addLinkCommands(user, session);
  user
    .command('create')
    .description('make an account, and its team if there is none of that name')
    .requiredOption('--email <E>', 'email address')
    .requiredOption('--password <P>', `password, at least 8 characters${SECRET_FROM}`)
    .option('--name <N>', "the person's name")
    .option('--team <T>', "the team's name, or its id")
    .addOption(
      new Option('--role <R>', 'role in the team').choices(['owner', 'admin', 'member', 'viewer']),
    )
    .action(async (options: NewUserOptions) => {
      const password = await readSecret(session, '--password', options.password);
      const { people } = await session.open();
      const outcome = await people.createUser({ ...options, password });
      if (outcome.kind === 'refused') throw new CommandFault(listErrors(outcome.errors));
      const { userId, teamId, apiToken } = outcome;
      session.print({ userId, teamId, apiToken });
    });
  user
    .command('reset-password')
    .description('make a link that sets a new password')
    .requiredOption('--email <E>', 'email address')
    .action(async ({ email }: { email: string }) => {
      const { people } = await session.open();
      if (!people.takesPasswords()) throw new CommandFault(PASSWORDS_OFF);
      const resetUrl = await people.resetPasswordUrl(email);
      if (resetUrl === null) throw noAccount(email);
      session.print({ resetUrl });
    });
  user
    .command('sign-out')
    .description('end all sessions and open links of an account')
    .requiredOption('--email <E>', 'email address')
    .option('--revoke-token', 'revoke the API token too')
    .action(async ({ email, revokeToken = false }: { email: string; revokeToken?: boolean }) => {
      const { people } = await session.open();
      if (!(await people.signOut(email, { revokesToken: revokeToken }))) throw noAccount(email);
      session.print({ email, signedOut: true, tokenRevoked: revokeToken });
    });
  user
    .command('token')
    .description('make a new API token; the old one stops working')
    .requiredOption('--email <E>', 'email address')
    .action(async ({ email }: { email: string }) => {
      const { people } = await session.open();
      const apiToken = await people.newToken(email);
      if (apiToken === null) throw noAccount(email);
      session.print({ apiToken });
    });
}

/** For accounts that a provider or proxy leads to. */
function addLinkCommands(user: Command, session: Session): void {
  user
    .command('confirm-email')
    .description("vouch that an account's email is its owner's")
    .requiredOption('--email <E>', 'email address')
    .action(async ({ email }: { email: string }) => {
      const { people } = await session.open();
      if (!(await people.confirmEmail(email))) throw noAccount(email);
      session.print({ email, confirmed: true });
    });
  user
    .command('unlink')
    .description(
      'forget whom an account is joined to at the provider or proxy, and end its sessions',
    )
    .requiredOption('--email <E>', 'email address')
    .action(async ({ email }: { email: string }) => {
      const { people } = await session.open();
      const outcome = await people.unlink(email);
      if (outcome === null) throw noAccount(email);
      session.print({ email, wasJoined: outcome.wasJoined });
    });
}

const PASSWORDS_OFF =
  'PASSWORD_SIGN_IN is off, so a new password would open nothing; set it to on, or let the provider help.';

const noAccount = (email: string) =>
  new CommandFault(`there is no account with the email ${show(email)}.`);

/** `--email: Enter a valid email address. --password: Use at least 8 characters.` */
export function listErrors(errors: Record<string, readonly string[]>): string {
  return Object.entries(errors)
    .map(([field, messages]) => `--${field}: ${messages.join(' ')}`)
    .join(' ');
}
