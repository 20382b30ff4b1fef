import { type Command, CommanderError } from 'commander';
import { CommandFault, explainFault } from './fault.ts';
import { buildProgram } from './program.ts';
import type { CommandServices } from './services.ts';
import { Session } from './session.ts';

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
    await program.parseAsync([...argv], { from: 'user' });
    return session.exitCode;
  } catch (fault) {
    if (fault instanceof CommanderError && fault.exitCode === 0) return 0;
    session.say(`belfry: ${explainFault(findMissingCommand(program, argv, fault))}`);
    return fault instanceof CommandFault ? fault.exitCode : 1;
  } finally {
    await session.close();
  }
}

/** The library would print its help, which is more than one line. */
function findMissingCommand(program: Command, argv: readonly string[], fault: unknown): unknown {
  if (!(fault instanceof CommanderError) || fault.code !== 'commander.help') return fault;
  const group = program.commands.find((command) => command.name() === argv[0]) ?? program;
  const names = group.commands.map((command) => command.name()).join(', ');
  const what = group === program ? 'a command is missing' : `${group.name()} needs a command`;
  return new CommandFault(`${what}: ${names}.`);
}
