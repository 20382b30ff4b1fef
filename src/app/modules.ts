import { statSync } from 'node:fs';
import { CommandFault } from '#cli/fault';
import type { OpenModules, Purpose } from '#cli/services';
import { type Config, type LogLevel, publicAddress } from '#config/config';
import type { Log } from '#domain/base/log';
import { NAMED_DOERS } from '#domain/team/activity';
import type { PeopleConfig } from '#people/context';
import { createPeople, type People } from '#people/people';
import { loadAppKey } from '#store/app-key';
import { StoreError } from '#store/database/errors';
import { EMPTY_ADVICE, openStore, type Store, type StoreOptions } from '#store/store';
import { hidingOf } from './hiding.ts';
import { createLateLog } from './late-log.ts';
import { realClock } from './real-clock.ts';

const MIGRATES: Record<Purpose, NonNullable<StoreOptions['migrates']>> = {
  read: 'never',
  write: 'if-empty',
  migrate: 'always',
};

type ForTests = Partial<Pick<PeopleConfig, 'passwordWork'>> & Pick<StoreOptions, 'migrations'>;

/**
 * @param purpose whether the command may set up or migrate the database
 * @param forTests less work on hashing, and invented migrations
 */
export async function openModules(
  config: Config,
  purpose: Purpose,
  { migrations, ...peopleConfig }: ForTests = {},
): Promise<OpenModules> {
  const { database } = config;
  if (database.kind === 'sqlite-memory') {
    throw new CommandFault(
      'DATABASE_URL is sqlite::memory:, which no other process can see; commands need a file or Postgres.',
    );
  }
  // Opening would make the file and its key.
  if (purpose === 'read' && database.kind === 'sqlite' && isMissing(database.path)) {
    throw new CommandFault(`there is no database at ${database.path} yet; ${EMPTY_ADVICE}.`);
  }
  try {
    const appKey = loadAppKey(config);
    const log = createLateLog({
      level: quieter(config.logLevel),
      pretty: process.stderr.isTTY,
      to: 'stderr',
    });
    const shared = { clock: realClock, log, bounds: config.teamBounds };
    const opening = { location: database, appKey, serving: false, onThisThread: true, migrations };
    const store = await openStore({ ...shared, ...opening, migrates: MIGRATES[purpose] });
    const baseUrl = publicAddress(config, config.port);
    const people = createPeople({
      store,
      log,
      clock: store.clock,
      config: { ...config, appKey, baseUrl, ...peopleConfig },
    });
    return {
      work: async () => {
        const { createWork } = await import('#work/work');
        const { askNewAddresses } = people.channelAddresses;
        return createWork({ store, ...hidingOf(config), askNewAddresses }).for({
          doer: 'command-line',
          actor: NAMED_DOERS['command-line'],
          may: () => true,
          // The session masks its output.
          seesMasked: true,
          log,
        });
      },
      people: people.operator,
      sendTest: (...test) => sendTest({ config, store, log, baseUrl, people }, ...test),
      migrated: store.migrated,
      location: database.kind === 'sqlite' ? `at ${database.path}` : 'in Postgres',
      close: async () => {
        // Confirmation links may still be on their way to the mail server.
        await people.close();
        await store.close();
      },
    };
  } catch (fault) {
    throw explainOpening(fault);
  }
}

async function sendTest(
  { config, people, ...tools }: Tools,
  ...test: Parameters<OpenModules['sendTest']>
): ReturnType<OpenModules['sendTest']> {
  const { sendTest: send } = await import('#alerts/notifier');
  const { createSender } = await import('#outgoing/exchange');
  const { allowedNetworks, dnsServers } = config;
  const network = { allowedNetworks, dnsServers: dnsServers ?? [] };
  const sender = createSender({ clock: realClock, ...network });
  try {
    const { stopUrlOf, mailer } = people;
    return await send({ ...tools, sender, mailer, stopUrlOf }, ...test);
  } finally {
    await sender.close();
  }
}

interface Tools {
  config: Config;
  people: People;
  store: Store;
  log: Log;
  baseUrl: string;
}

function isMissing(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  } catch {
    // Opening will report why it can't be read.
    return false;
  }
}

function explainOpening(fault: unknown): unknown {
  if (!(fault instanceof StoreError) || fault.code === 'STORE_FAULT') return fault;
  const isAway = fault.code === 'STORE_UNAVAILABLE';
  const text = isAway ? `the database cannot be used now: ${fault.message}` : fault.message;
  const exitCode = fault.code === 'STORE_UNRELEASED' ? 2 : 1;
  return new CommandFault(text, { cause: fault, exitCode });
}

/** Routine messages would distract from a command's output. */
function quieter(level: LogLevel): LogLevel {
  return level === 'info' ? 'warn' : level;
}
