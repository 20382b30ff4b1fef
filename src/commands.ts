import { once } from 'node:events';
import { runCommand } from '#cli/run-command';
import type { BackupOutcome, CommandServices, Terminal } from '#cli/services';
import type { Config } from './config.ts';
import { readTextFile } from './textFile.ts';

/**
 * Runs one command of the operator's command line with these settings, beside a running service or alone.
 *
 * @returns the exit code
 */
export async function runOperatorCommand(
  command: readonly string[],
  config: Config,
): Promise<number> {
  // Whoever reads the output may stop early: `belfry job list | head`.
  process.stdout.on('error', () => process.exit(1));
  return runCommand(command, createCommandServices(config, PROCESS_TERMINAL, process.env));
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
 * The rooms and checks behind the commands, for these settings. Each is brought by the command that needs it.
 *
 * @param env  where secrets that a team's file refers to are looked up
 */
export function createCommandServices(
  config: Config,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): CommandServices {
  return {
    open: async () => (await import('./rooms.ts')).openRooms(config),
    backup: (file) => backUp(config, file),
    askHealth: () => askHealth(config),
    doctor: async () => {
      const { examine } = await import('./doctor.ts');
      return examine(config);
    },
    terminal,
    readVariable: (name) => env[name],
    readFile: readTextFile,
  };
}

const HEALTH_LIMIT_MS = 5_000;

/** For a container's health check, which has nothing else to ask with. */
async function askHealth({ host, port }: Config): ReturnType<CommandServices['askHealth']> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const signal = AbortSignal.timeout(HEALTH_LIMIT_MS);
    const { ok, status } = await fetch(`http://${name}:${port}/healthz`, { signal });
    return ok ? { kind: 'lives' } : { kind: 'silent', why: `it answered ${status}` };
  } catch (fault) {
    const { cause, message } = fault as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { kind: 'silent', why: code ?? message };
  }
}

async function backUp({ database }: Config, file: string): Promise<BackupOutcome> {
  if (database.kind !== 'sqlite') return { kind: 'not-sqlite' };
  const { backUpSqliteFile } = await import('#store/sqlite/backup');
  return backUpSqliteFile(database.path, file);
}
