import { Command, CommanderError, Help, Option } from 'commander';
import { addActivityCommands } from './activity.ts';
import { addAlertCommands } from './alerts.ts';
import { addChannelCommands, addWindowCommands } from './channels.ts';
import { addCronCommands, addExecutionCommands } from './crons.ts';
import { CommandFault, explainFault } from './fault.ts';
import { addInstallationCommands, addServeCommand } from './installation.ts';
import { addJobCommands } from './jobs.ts';
import { addMemberCommands, addServiceAccountCommands } from './members.ts';
import { type Output, OUTPUTS } from './output.ts';
import { addQueueCommands } from './queues.ts';
import { addRunCommands } from './runs.ts';
import type { CommandServices, Purpose } from './services.ts';
import { Session } from './session.ts';
import { addTeamCommands } from './teams.ts';
import { addUserCommands } from './users.ts';

/** By their last word. All others may set up an empty database. */
const READING = new Set(['list', 'show', 'export', 'setup-code']);

function purposeOf(command: string): Purpose {
  if (command === 'migrate') return 'migrate';
  return READING.has(command) ? 'read' : 'write';
}

function listRequiredFirst(this: Help, command: Command): Option[] {
  const options = Help.prototype.visibleOptions.call(this, command);
  return options.toSorted((a, b) => Number(b.mandatory) - Number(a.mandatory));
}

function optionDescription(this: Help, option: Option): string {
  const text = Help.prototype.optionDescription.call(this, option);
  return option.mandatory ? `${text} (required)` : text;
}

/** A test compares docs/command-line.md. */
export function buildProgram(session: Session): Command {
  const { terminal } = session.services;
  const program = new Command('belfry')
    .description(
      'Serves, or runs one command. Commands print JSON on standard output, and words for people on standard error.',
    )
    .version(session.services.version, '--version', 'print the version and the commit')
    .exitOverride()
    // The caller prints the fault in one line.
    .configureOutput({ writeOut: (text) => terminal.print(text), writeErr: () => {} });
  program
    .addOption(
      new Option('--output <FORMAT>', 'JSON for scripts, or a table for people')
        .choices(OUTPUTS)
        .default('json'),
    )
    .configureHelp({
      showGlobalOptions: true,
      visibleOptions: listRequiredFirst,
      optionDescription,
    })
    .hook('preAction', (_program, command) => {
      session.purpose = purposeOf(command.name());
      session.output = program.opts<{ output: Output }>().output;
    });
  addServeCommand(program);
  addUserCommands(program, session);
  addTeamCommands(program, session);
  addMemberCommands(program, session);
  addServiceAccountCommands(program, session);
  addQueueCommands(program, session);
  addCronCommands(program, session);
  addJobCommands(program, session);
  addExecutionCommands(program, session);
  addRunCommands(program, session);
  addAlertCommands(program, session);
  addChannelCommands(program, session);
  addWindowCommands(program, session);
  addActivityCommands(program, session);
  addInstallationCommands(program, session);
  for (const { name, description, run } of session.services.ownCommands ?? []) {
    program.command(name).description(description).action(run);
  }
  return program;
}

/**
 * @param argv such as `['job', 'show', '--id', '…']`
 * @returns 0, or 1 or 2 after one line on standard error. Never rejects.
 */
export async function runCommand(
  argv: readonly string[],
  services: CommandServices,
): Promise<0 | 1 | 2> {
  const session = new Session(services);
  const program = buildProgram(session);
  try {
    await program.parseAsync(settleHelp(program, argv), { from: 'user' });
    return session.exitCode;
  } catch (fault) {
    if (fault instanceof CommanderError && fault.exitCode === 0) return 0;
    session.say(`belfry: ${explainFault(findMissingCommand(program, argv, fault))}`);
    return fault instanceof CommandFault ? fault.exitCode : 1;
  } finally {
    await session.close();
  }
}

/**
 * `help job show` becomes `job show --help`. An unknown command loses its `help` or `--help`: for those the library
 * would print the help of all commands instead of an error.
 */
function settleHelp(program: Command, argv: readonly string[]): string[] {
  let command = program;
  let asksHelp = false;
  const known: string[] = [];
  for (const word of argv) {
    const next = command.commands.find((each) => each.name() === word);
    if (next) {
      command = next;
      known.push(word);
    } else if (command.commands.length === 0 || word.startsWith('-')) break;
    else if (word === 'help' && !asksHelp) asksHelp = true;
    else return asksHelp || argv.some(isHelpOption) ? [...known, word] : [...argv];
  }
  return asksHelp ? [...known, '--help'] : [...argv];
}

const isHelpOption = (word: string) => word === '--help' || word === '-h';

/** The library would print its help, which is more than one line. */
function findMissingCommand(program: Command, argv: readonly string[], fault: unknown): unknown {
  if (!(fault instanceof CommanderError) || fault.code !== 'commander.help') return fault;
  const group = program.commands.find((command) => command.name() === argv[0]) ?? program;
  const names = group.commands.map((command) => command.name()).join(', ');
  const what = group === program ? 'a command is missing' : `${group.name()} needs a command`;
  return new CommandFault(`${what}: ${names}.`);
}
