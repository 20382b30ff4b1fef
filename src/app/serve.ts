import { createStartingPages } from '#api/service-pages';
import { type Config, publicAddress } from '#config/config';
import type { DashboardBuild } from '#dashboard/build';
import { findOwnEcho } from '#domain/http/own-echo';
import type { FirstAccount } from '#people/registrations';
import { loadAppKey } from '#store/app-key';
import { StoreError } from '#store/database/errors';
import { type OpenedStore, openStore } from '#store/store';
import { openWhenThere } from './awaited-database.ts';
import { EXIT, say } from './exit.ts';
import { writeGreeting } from './greeting.ts';
import { findDashboardBuild } from './lazy-dashboard.ts';
import { type Part, stopInTime, stopOnSignals } from './lifecycle.ts';
import { createLog, type MainLog } from './log.ts';
import { realClock } from './real-clock.ts';
import { type BelfryService, buildService } from './service.ts';
import { ListenFault, WebServer } from './web-server.ts';
import { allocateInYoungGeneration } from './young-generation.ts';

/** One line if an operator can fix it, else with its stack. */
function endWith(fault: unknown, log: MainLog): never {
  const isStores = fault instanceof StoreError && fault.code !== 'STORE_FAULT';
  if (isStores || fault instanceof ListenFault) say(fault.message);
  else log.error('start.failed', { error: fault });
  const isWrongDatabase = isStores && fault.code === 'STORE_UNRELEASED';
  process.exit(isWrongDatabase ? EXIT.wrongSetting : EXIT.fault);
}

/**
 * Ends the process.
 * @param dashboard of a package; default: the build in the checkout
 */
export async function serve(config: Config, dashboard?: DashboardBuild): Promise<void> {
  allocateInYoungGeneration();
  const log = await createLog({ level: config.logLevel, pretty: process.stdout.isTTY });
  /** The last one that was opened comes first. */
  const parts: Part[] = [];
  let stopping: Promise<boolean> | null = null;
  const stop = (graceMs: number) => (stopping ??= stopInTime(parts, { graceMs }, log));
  stopOnSignals(process, {
    stop: () => {
      const graceMs = config.shutdownGraceSeconds * 1000;
      log.info('stop.asked', { graceMs });
      void stop(graceMs).then((clean) => {
        log.info('stopped', { clean });
        process.exit(clean ? EXIT.done : EXIT.fault);
      });
    },
    abort: () => process.exit(EXIT.fault),
    echoMs: doesParentPassSignals() ? 300 : 0,
  });
  try {
    const appKey = loadAppKey(config);
    const web = new WebServer(createStartingPages(), config, realClock);
    const store = await openDatabase({ config, appKey, web, log });
    const hasPages = config.role !== 'engine';
    let service: BelfryService | null = null;
    const stopModules = async (graceMs: number) => {
      await Promise.all([web.stop(graceMs), service?.stop(graceMs)]);
    };
    parts.push({ name: 'modules', stop: stopModules });
    parts.push({ name: 'store', stop: () => store.close() });
    // First, because links need the real port.
    await web.start();
    if (stopping !== null) return;
    const baseUrl = publicAddress(config, web.port);
    const dashboardBuild = hasPages ? (dashboard ?? findDashboardBuild(log)) : null;
    const echo = findOwnEcho(web.listening);
    service = buildService({ config, appKey, baseUrl, dashboardBuild, echo, store, log });
    await service.start();
    web.answerWith(service.app);
    const firstAccount = hasPages ? await service.people.accounts.findFirstAccount() : null;
    if (stopping === null) announce(config, web, firstAccount, log);
  } catch (fault) {
    // The running stop closes everything and ends the process.
    if (stopping !== null) return;
    await stop(0);
    endWith(fault, log);
  }
}

/** Meanwhile `/healthz` and `/readyz` answer. */
async function openDatabase({
  config,
  appKey,
  web,
  log,
}: {
  config: Config;
  appKey: Uint8Array;
  web: WebServer;
  log: MainLog;
}): Promise<OpenedStore> {
  const open = () =>
    openStore({
      location: config.database,
      appKey,
      clock: realClock,
      log,
      bounds: config.teamBounds,
      // A graceful stop makes no sense without the database.
      onLost: (fault) => endWith(fault, log),
      serving: true,
    });
  if (config.database.kind !== 'postgres') return open();
  return openWhenThere(open, { clock: realClock, log, onAway: () => web.start() });
}

/** A greeting for a terminal, else one event for each fact. */
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

/** npm, or the older Node that ran `bin/start.js`, passes signals on. */
function doesParentPassSignals(): boolean {
  return process.env['npm_lifecycle_event'] !== undefined || process.connected;
}
