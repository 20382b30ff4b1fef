import { once } from 'node:events';
import { CommandFault } from '#cli/fault';
import { runCommand } from '#cli/program';
import type { BackupOutcome, CommandServices, OwnCommand, Terminal } from '#cli/services';
import type { Config, ConfigErrors } from '#config/config';
import { describeVersion } from '#config/version';
import type { DashboardBuild } from '#dashboard/build';
import { askHealth } from '#operate/health';
import { realClock } from './real-clock.ts';
import { readTextFile } from './text-file.ts';

/** Parts of a package that a checkout lacks, or has as files. */
export interface Packaged {
  dashboard: DashboardBuild;
  commands: readonly OwnCommand[];
}

/**
 * @param config errors for a command that prints help, which uses no settings
 * @returns the exit code
 */
export async function runOperatorCommand(
  command: readonly string[],
  config: Config | ConfigErrors,
  packaged?: Packaged,
): Promise<number> {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // The reader may stop early: `belfry job list | head`. The code is the one that a shell gives for SIGPIPE.
    if (code === 'EPIPE') process.exit(141);
    process.stderr.write(`belfry: the output cannot be written: ${message}\n`);
    process.exit(1);
  });
  const services = createCommandServices(config, PROCESS_TERMINAL, process.env, packaged);
  return runCommand(command, services);
}

const PROCESS_TERMINAL: Terminal = {
  print: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(text),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
  isInteractive: process.stdout.isTTY,
};

/**
 * Loaded by the command that needs them.
 * @param env has the secrets of a team file
 */
export function createCommandServices(
  given: Config | ConfigErrors,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  packaged?: Packaged,
): CommandServices {
  const config = () => {
    if ('errors' in given) throw new CommandFault(given.errors.join(' '));
    return given;
  };
  return {
    open: async (purpose) => (await import('./modules.ts')).openModules(config(), purpose),
    backup: async (file) => backUp(config(), file),
    askHealth: async () => askHealth(config()),
    doctor: async () => {
      const { examine } = await import('#operate/doctor');
      const { isDashboardBuilt } = await import('./lazy-dashboard.ts');
      const isBuilt = packaged === undefined ? isDashboardBuilt() : null;
      return examine(config(), { clock: realClock, isDashboardBuilt: isBuilt });
    },
    version: describeVersion(),
    terminal,
    ownCommands: packaged?.commands ?? [],
    readVariable: (name) => env[name],
    readFile: readTextFile,
  };
}

async function backUp({ database }: Config, file: string): Promise<BackupOutcome> {
  if (database.kind !== 'sqlite') return { kind: 'not-sqlite' };
  const { backUpSqliteFile } = await import('#store/backups');
  return backUpSqliteFile(database.path, file);
}
