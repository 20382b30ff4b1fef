import { once } from 'node:events';
import { runCommand } from '#cli/run-command';
import type { BackupOutcome, CommandServices, Terminal } from '#cli/services';
import type { Config } from './config.ts';
import { askHealth } from './health.ts';
import type { Packaged } from './packaged.ts';
import { readTextFile } from './text-file.ts';

/**
 * Runs one command of the operator's command line with these settings, beside a running service or alone.
 *
 * @returns the exit code
 */
export async function runOperatorCommand(
  command: readonly string[],
  config: Config,
  packaged?: Packaged,
): Promise<number> {
  // The reader of the output may stop early: `belfry job list | head`.
  process.stdout.on('error', () => process.exit(1));
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
 * The rooms and checks that the commands use, for these settings. Each one is loaded by the command that needs it.
 *
 * @param env  where the secrets that a team's file refers to are looked up
 */
export function createCommandServices(
  config: Config,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  packaged?: Packaged,
): CommandServices {
  return {
    open: async (purpose) => (await import('./rooms.ts')).openRooms(config, purpose),
    backup: (file) => backUp(config, file),
    askHealth: () => askHealth(config),
    doctor: async () => {
      const { examine } = await import('./doctor.ts');
      return examine(config, packaged !== undefined);
    },
    terminal,
    ownCommands: packaged?.commands ?? [],
    readVariable: (name) => env[name],
    readFile: readTextFile,
  };
}

async function backUp({ database }: Config, file: string): Promise<BackupOutcome> {
  if (database.kind !== 'sqlite') return { kind: 'not-sqlite' };
  const { backUpSqliteFile } = await import('#store/sqlite/backup');
  return backUpSqliteFile(database.path, file);
}
