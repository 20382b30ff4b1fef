import { createStartingPages } from '#api/service-pages';
import type { DashboardBuild } from '#dashboard/build';
import { findOwnEcho } from '#domain/own-echo';
import type { FirstAccount } from '#people/registrations';
import { StoreError } from '#store/database/errors';
import { type OpenedStore, openStore } from '#store/store';
import { AppKeyFault, loadAppKey } from './app-key.ts';
import { publicAddress, type Config } from './config.ts';
import { EXIT, say } from './exit.ts';
import { writeGreeting } from './greeting.ts';
import { type Part, Service, stopOnSignals } from './lifecycle.ts';
import { findDashboardBuild } from './lazy-dashboard.ts';
import { createLog, type MainLog } from './log.ts';
import { realClock } from './real-clock.ts';
import { type BelfryService, buildService } from './service.ts';
import { ListenFault, WebServer } from './web-server.ts';

/** Whether a fault's own message tells the operator what to do. */
function isExplained(fault: unknown): fault is Error {
  const isStores = fault instanceof StoreError && fault.code !== 'STORE_FAULT';
  return isStores || fault instanceof AppKeyFault || fault instanceof ListenFault;
}

/** Reports a fault: in one line if an operator can fix it, else with its stack. */
function explain(fault: unknown, log: MainLog): void {
  if (isExplained(fault)) say(fault.message);
  else log.error('start.failed', { error: fault });
}

function endWith(fault: unknown, log: MainLog): never {
  explain(fault, log);
  process.exit(EXIT.fault);
}

/**
 * Runs the service until it is told to stop, which ends the process.
 *
 * @param dashboard  the dashboard of a package; without it, the build beside the sources is used
 */
export async function serve(config: Config, dashboard?: DashboardBuild): Promise<void> {
  const log = await createLog({ level: config.logLevel, pretty: process.stdout.isTTY });
  try {
    const appKey = loadAppKey(config);
    const store = await openStore({
      location: config.database,
      appKey,
      clock: realClock,
      log,
      // Nothing can be read or written any more, so a graceful stop makes no sense.
      onLost: (fault) => endWith(fault, log),
      serving: true,
    });
    const service = new Service([partOfStore(store)], log);
    stopOnSignals(process, {
      stop: () => void stopGracefully(service, config.shutdownGraceMs, log),
      abort: () => process.exit(EXIT.fault),
      echoMs: hasTellingParent() ? 300 : 0,
    });
    await service.start();
    const web = new WebServer(createStartingPages(), config);
    const findDashboard = () => dashboard ?? findDashboardBuild(log);
    const rooms = partOfRooms({ config, appKey, store, web, log, findDashboard });
    await service.add(rooms);
    announce(config, web, await rooms.findFirstAccount(), log);
  } catch (fault) {
    endWith(fault, log);
  }
}

/** Greets people at a terminal. Anything else that reads the output gets one event for each fact. */
function announce(
  config: Config,
  web: WebServer,
  firstAccount: FirstAccount | null,
  log: MainLog,
): void {
  const { address } = web;
  const baseUrl = publicAddress(config, web.port);
  if (process.stdout.isTTY) {
    process.stdout.write(
      writeGreeting({ address, baseUrl, database: config.database, firstAccount }),
    );
    return;
  }
  log.announce(`belfry is ready at ${address}`, { address, baseUrl });
  if (firstAccount === null) return;
  const { code, isCodeAlwaysAsked } = firstAccount;
  const how = isCodeAlwaysAsked ? `with the code ${code}` : `(setup code, if it asks: ${code})`;
  log.announce(`make the first account at ${baseUrl}/setup ${how}`, {});
}

/** Whether a parent process passes signals on to this one: npm, or the older Node that ran `bin/start.js`. */
function hasTellingParent(): boolean {
  return process.env['npm_lifecycle_event'] !== undefined || process.connected;
}

function partOfStore(store: OpenedStore): Part {
  return { name: 'store', start: async () => {}, stop: () => store.close() };
}

interface PartsOfRooms {
  config: Config;
  appKey: Uint8Array;
  store: OpenedStore;
  web: WebServer;
  log: MainLog;
  findDashboard: () => DashboardBuild | null;
}

/** Listens first, because links need the real port. The real app answers once everything is built. */
function partOfRooms({
  config,
  appKey,
  store,
  web,
  log,
  findDashboard,
}: PartsOfRooms): Part & { findFirstAccount: () => Promise<FirstAccount | null> } {
  let rooms: BelfryService | null = null;
  return {
    name: 'rooms',
    start: async () => {
      await web.start();
      const baseUrl = publicAddress(config, web.port);
      const dashboardBuild = config.role === 'engine' ? null : findDashboard();
      const echo = findOwnEcho(web.listening);
      const settings = { config, appKey, baseUrl, dashboardBuild, echo };
      rooms = buildService({ ...settings, store, clock: realClock, log });
      await rooms.start();
      web.answerWith(rooms.app);
    },
    findFirstAccount: async () =>
      config.role === 'engine' ? null : ((await rooms?.people.accounts.findFirstAccount()) ?? null),
    stop: async (graceMs) => {
      await Promise.all([web.stop(graceMs), rooms?.stop(graceMs)]);
    },
  };
}

async function stopGracefully(service: Service, graceMs: number, log: MainLog): Promise<void> {
  log.info('stop.asked', { graceMs });
  const clean = await service.stop(graceMs);
  log.info('stopped', { clean });
  process.exit(clean ? EXIT.done : EXIT.fault);
}
