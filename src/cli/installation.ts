import type { Command } from 'commander';
import { CommandFault } from './fault.ts';
import { printJson } from './output.ts';
import type { BackupOutcome, Finding } from './services.ts';
import { refuseBlank } from './secrets.ts';
import { plainVerbs, type Session } from './session.ts';

/** Not run from here: it starts without the commands' modules. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service; an executable or package does so without a command, too')
    .action(() => {
      throw new CommandFault('serve takes no options.');
    });
}

export function addInstallationCommands(program: Command, session: Session): void {
  const verb = plainVerbs(session, program);
  const shows = 'show the code that /setup asks for, before there is an account';
  verb('setup-code', shows, async ({ people }) => {
    const setupCode = await people.setupCode();
    if (setupCode === null) throw new CommandFault('there is an account already.');
    return { setupCode };
  });
  verb('migrate', 'bring the database up to this version', async ({ migrated }) => {
    return { applied: migrated };
  });
  program
    .command('backup')
    .description('copy the SQLite database while it is in use')
    .argument('<FILE>', 'a file that does not exist yet')
    .action(async (file: string) => {
      refuseBlank('FILE', file);
      const { path, bytes } = acceptBackup(await session.services.backup(file));
      session.print({ file: path, bytes });
      session.say(
        'Keep APP_KEY, or app.key next to the database, with the copy: it decrypts the secrets.',
      );
    });
  program
    .command('health')
    .description('ask the service on this machine whether it lives')
    .action(async () => {
      const answer = await session.services.askHealth();
      if (answer.kind === 'silent')
        throw new CommandFault(`the service does not answer: ${answer.why}.`);
      session.print({ status: 'ok' });
    });
  program
    .command('doctor')
    .description('check settings, database, clock, DNS and mail')
    .action(async () => report(session, await session.services.doctor()));
}

function acceptBackup(outcome: BackupOutcome): Extract<BackupOutcome, { kind: 'done' }> {
  switch (outcome.kind) {
    case 'done':
      return outcome;
    case 'exists':
      throw new CommandFault(`${outcome.path} exists already; name a new file.`);
    case 'no-database':
      throw new CommandFault(`there is no database at ${outcome.path} yet.`);
    case 'cannot-write':
      throw new CommandFault(`${outcome.path} cannot be written: ${outcome.reason}.`);
    case 'not-sqlite':
      throw new CommandFault('backup copies SQLite files only; use pg_dump for Postgres.');
  }
}

/** A table for people, JSON for scripts. */
function report(session: Session, findings: readonly Finding[]): void {
  const { terminal } = session.services;
  const isTable = session.output === 'table';
  if (isTable) session.printList(findings, ['status', 'check', 'message']);
  else if (!terminal.isInteractive) printJson(terminal, findings);
  for (const { status, check, message } of isTable ? [] : findings) {
    session.say(`${status.padEnd(4)}  ${check.padEnd(9)}  ${message}`);
  }
  if (findings.some(({ status }) => status === 'fail')) session.exitCode = 1;
}
