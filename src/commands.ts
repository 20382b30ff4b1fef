import { once } from 'node:events';
import { CommandFault } from '#cli/fault';
import { runCommand } from '#cli/run-command';
import type { BackupOutcome, CommandServices, OpenRooms, Terminal } from '#cli/services';
import { secretHeadersWith } from '#domain/secret-headers';
import { createPeople } from '#people/people';
import { StoreError } from '#store/errors';
import { openStore } from '#store/store';
import { createWork } from '#work/work';
import { AppKeyFault, loadAppKey } from './appKey.ts';
import { publicAddress, servesLoopbackOnly, type Config, type LogLevel } from './config.ts';
import { createLog } from './log.ts';
import { realClock } from './realClock.ts';
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

/** The rooms and checks behind the commands, for these settings. */
/** @param env  where secrets that a team's file refers to are looked up */
export function createCommandServices(
  config: Config,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): CommandServices {
  return {
    open: () => openRooms(config),
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

async function openRooms(config: Config): Promise<OpenRooms> {
  const { database } = config;
  if (database.kind === 'sqlite-memory') {
    throw new CommandFault(
      'DATABASE_URL is sqlite::memory:, which no other process can see; commands need a file or Postgres.',
    );
  }
  try {
    const appKey = loadAppKey(config);
    const log = await createLog({
      level: quieter(config.logLevel),
      pretty: process.stderr.isTTY,
      to: 'stderr',
    });
    const shared = { clock: realClock, log };
    const opening = { location: database, appKey, serving: false, onThisThread: true };
    const store = await openStore({ ...shared, ...opening });
    const baseUrl = publicAddress(config, config.port);
    const people = createPeople({
      store,
      log,
      clock: store.clock,
      config: { ...config, appKey, baseUrl, asksSetupCode: !servesLoopbackOnly(config) },
    });
    return {
      work: createWork({ store, isSecretHeader: secretHeadersWith(config.secretHeaders) }),
      people: people.operator,
      migrated: store.migrated,
      close: () => store.close(),
    };
  } catch (fault) {
    throw explainOpening(fault);
  }
}

/** A fault that an operator can mend becomes their line. */
function explainOpening(fault: unknown): unknown {
  if (fault instanceof AppKeyFault) return new CommandFault(fault.message, { cause: fault });
  if (!(fault instanceof StoreError) || fault.code === 'STORE_FAULT') return fault;
  const isAway = fault.code === 'STORE_UNAVAILABLE';
  const text = isAway ? `the database cannot be used now: ${fault.message}` : fault.message;
  return new CommandFault(text, { cause: fault });
}

/** What the service would tell in passing is noise beside a command's one line. */
function quieter(level: LogLevel): LogLevel {
  return level === 'info' ? 'warn' : level;
}

async function backUp({ database }: Config, file: string): Promise<BackupOutcome> {
  if (database.kind !== 'sqlite') return { kind: 'not-sqlite' };
  const { backUpSqliteFile } = await import('#store/sqlite/backup');
  return backUpSqliteFile(database.path, file);
}
