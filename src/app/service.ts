import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { createNotifier, type Notifier } from '#alerts/notifier';
import { createApi } from '#api/api';
import { readArrival } from '#api/client-address';
import { createEcho } from '#api/echo';
import { MemoryRateLimiter, type RateLimiter } from '#api/rate-limiter';
import { createServicePages } from '#api/service-pages';
import { type Config, servesLoopbackOnly } from '#config/config';
import type { DashboardBuild } from '#dashboard/build';
import type { TestNotifications } from '#dashboard/services';
import type { Log } from '#domain/base/log';
import type { AddressRange } from '#domain/http/address-range';
import { type OwnEcho, urlOfEcho } from '#domain/http/own-echo';
import { watchClock } from '#engine/chores/clock-jumps';
import { watchDepths } from '#engine/chores/depth-watch';
import { endPauses } from '#engine/chores/pause-ends';
import { Engine } from '#engine/engine';
import { keepHouse } from '#engine/chores/housekeeping';
import { watchSnapshots } from '#engine/chores/snapshot-watch';
import { createBackups } from '#operate/backups';
import { createHeartbeat } from '#operate/heartbeat';
import { createMetrics, type Metrics, watchService } from '#operate/metrics';
import { createMetricsPage } from '#operate/metrics-page';
import { watchSources } from '#operate/source-metrics';
import { untrustedForwarding, untrustedSignIn, watchFor } from '#operate/untrusted-headers';
import { type ClosableSender, createSender } from '#outgoing/exchange';
import type { PeopleConfig } from '#people/context';
import { createPeople, type People } from '#people/people';
import type { OpenedStore, Store } from '#store/store';
import { type BulkRunner, createBulkRunner } from '#work/bulk-runner';
import { createWork, type Work } from '#work/work';
import { hidingOf } from './hiding.ts';
import { prepareHistory } from './history.ts';
import { createLazyDashboard } from './lazy-dashboard.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { createSharedRateLimiter } from './shared-rate-limiter.ts';

const EVERYWHERE: AddressRange[] = [{ base: '0.0.0.0', prefix: 0 }];

interface ServiceOptions {
  config: Config;
  /** 32 bytes. */
  appKey: Uint8Array;
  /** The service closes it. */
  store: OpenedStore;
  log: Log;
  baseUrl: string;
  /** The address of this process's own `/echo`; null if it listens on no IPv4 address. */
  echo?: OwnEcho | null;
  /** For tests that skip more time than a lease lasts. */
  leaseMs?: number;
  /** Without a build, only the API and the service pages answer. */
  dashboardBuild?: DashboardBuild | null;
  /** For tests, to hash passwords faster. */
  peopleConfig?: Pick<PeopleConfig, 'passwordWork'>;
}

export interface BelfryService {
  store: Store;
  people: People;
  work: Work;
  sender: ClosableSender;
  /** Null for `ROLE=web`. */
  engine: Engine | null;
  app: Hono;
  notifier: Notifier;
  bulkRunner: BulkRunner;
  /** `app` needs no start. */
  start(): Promise<void>;
  /** Waits for running work up to `graceMs`. Ends a running start early. The store stays open. */
  stop(graceMs: number): Promise<void>;
}

export function buildService(options: ServiceOptions): BelfryService {
  const { config, store, log, baseUrl } = options;
  const sender = buildSender(options);
  const settings = { ...config, baseUrl, appKey: options.appKey, ...options.peopleConfig };
  const people = createPeople({ store, clock: store.clock, log, config: settings });
  const { limitOf: monthlyLimitOf, limits } = people.plans;
  const hiding = hidingOf(config);
  const { askNewAddresses } = people.channelAddresses;
  const testing = { sender, monthlyLimitOf };
  const work = createWork({ store, ...hiding, testing, askNewAddresses });
  const bulkRunner = createBulkRunner({ store, log });
  const readiness = createReadiness(store);
  const metrics = countEvents(store, readiness);
  const engine = config.role === 'web' ? null : buildEngine(options, { sender, metrics, limits });
  const snapshots = watchSnapshots(store, log);
  watchWork(metrics, options, { engine, snapshots, readiness, monthlyLimitOf });
  const { mailer, stopUrlOf } = people;
  const tools = { store, sender, mailer, log, baseUrl, ...hiding, monthlyLimitOf };
  const notifier = createNotifier({ ...tools, stopUrlOf, observer: metrics });
  const app = buildApp(options, { people, work, notifier }, { metrics, readiness });
  const watch = watchRequests(app, options);
  const duties = engine === null ? [] : buildDuties(options, engine);
  const { historyDays, successHistoryDays, historyMaxBytes } = config;
  const clockJumps = watchClock(store.clock, log);
  const history = { store, log, historyDays, successHistoryDays, clockJumps };
  const nodeId = () => engine?.nodeId ?? '';
  const housekeeping = keepHouse({ ...history, historyMaxBytes, nodeId });
  const start = async (signal: AbortSignal) => {
    await prepareHistory(history);
    if (signal.aborted) return;
    await Promise.all([watch.start(), people.warnOfUnknownTeams()]);
    if (engine === null) return;
    await engine.start();
    if (signal.aborted) return;
    await notifier.start();
    for (const each of [housekeeping, snapshots, bulkRunner, ...duties]) each.start();
  };
  const modules = { store, people, work, sender, engine, app, notifier, bulkRunner };
  return {
    ...modules,
    ...endingEarly(start, async (graceMs) => {
      const ended = Promise.all([snapshots, ...duties].map((each) => each.stop()));
      try {
        await engine?.stop(graceMs);
      } finally {
        // Even if a node cannot sign off, because the database is down, it ends everything else in order.
        const others = [housekeeping, bulkRunner].map((each) => each.stop());
        await Promise.all([ended, notifier.stop(graceMs), ...others]);
        await people.close();
        await sender.close();
      }
    }),
  };
}

/** A stop during the start waits for it, so that both never use the parts at once. */
function endingEarly(
  start: (signal: AbortSignal) => Promise<void>,
  stop: BelfryService['stop'],
): Pick<BelfryService, 'start' | 'stop'> {
  const stopping = new AbortController();
  let starting = Promise.resolve();
  return {
    start: () => (starting = start(stopping.signal)),
    stop: async (graceMs) => {
      stopping.abort();
      await starting.catch(() => {});
      await stop(graceMs);
    },
  };
}

function buildSender({ config, store, echo }: ServiceOptions): ClosableSender {
  const { emailHeader = null, nameHeader = null, groupsHeader = null } = config.proxySignIn ?? {};
  return createSender({
    clock: store.clock,
    // To this installation itself they would come from an address that may be the proxy's.
    neverSent: [emailHeader, nameHeader, groupsHeader].filter((name) => name !== null),
    allowedNetworks: config.allowedNetworks,
    echo: config.echo ? (echo ?? null) : null,
    dnsServers: config.dnsServers ?? [],
  });
}

/** Wraps the app instead of being its middleware, so that it costs hardly any time and changes no request. */
function watchRequests(app: Hono, { config, store, log }: ServiceOptions) {
  const { trustedProxies, proxySignIn } = config;
  const { clock, untrustedHeaders, untrustedSignIns } = store;
  const watches = [
    watchFor(untrustedForwarding(trustedProxies), { store: untrustedHeaders, clock, log }),
  ];
  if (proxySignIn)
    watches.push(watchFor(untrustedSignIn(proxySignIn), { store: untrustedSignIns, clock, log }));
  const answer = app.fetch;
  app.fetch = (request, env, context) => {
    const { incoming } = env as HttpBindings;
    const { headers, url: path = '' } = incoming;
    const arriving = { ...readArrival(incoming), headers, path };
    for (const watch of watches) watch.look(arriving);
    return answer(request, env, context);
  };
  return {
    start: async () => {
      for (const watch of watches) await watch.start();
    },
  };
}

function countEvents(store: OpenedStore, readiness: Readiness): Metrics {
  const metrics = createMetrics();
  store.watchFaults((code) => {
    metrics.databaseFailed(code);
    readiness.failed(code);
  });
  store.watchBatches((of, size) => metrics.batchWritten(of, size));
  return metrics;
}

function watchWork(
  { registry }: Metrics,
  { store, config }: ServiceOptions,
  {
    engine,
    snapshots,
    readiness,
    monthlyLimitOf,
  }: {
    engine: Engine | null;
    snapshots: ReturnType<typeof watchSnapshots>;
    readiness: Readiness;
    monthlyLimitOf: (plan: string) => number | null;
  },
): void {
  watchService(registry, {
    clock: store.clock,
    inFlight: () => engine?.inFlight ?? 0,
    readBacklog: (now) => store.backlog.read(now),
    readOutbox: (now) => store.backlog.readOutbox(now),
    ping: () => store.ping(),
    checkReady: () => readiness.check(),
    readFreeBytes: () => readFreeBytes(config),
    oldSnapshots: snapshots.old,
    partitionsAheadMs: (now) => store.retention.partitionsAheadMs(now),
    historyMaxBytes: config.historyMaxBytes,
    readSize: (now) => store.retention.readSize(now),
  });
  const most = config.metricsMaxSources;
  if (most === 0) return;
  watchSources(registry, {
    clock: store.clock,
    read: (now) => store.sourceFigures.read(most, now),
    monthlyLimitOf,
  });
}

/** Free space on the SQLite file's disk; null with Postgres. */
async function readFreeBytes({ database }: Config): Promise<number | null> {
  if (database.kind !== 'sqlite') return null;
  const { bavail, bsize } = await statfs(dirname(database.path));
  return bavail * bsize;
}

function buildEngine(
  { config, log, store, leaseMs }: ServiceOptions,
  {
    metrics,
    ...tools
  }: { sender: ClosableSender; metrics: Metrics; limits: People['plans']['limits'] },
): Engine {
  return new Engine({
    store: store.forEngine,
    ...tools,
    log,
    observer: metrics,
    maxConcurrentRequests: config.maxConcurrentRequests,
    responseKeepBytes: config.responseKeepBytes,
    ...(leaseMs !== undefined && { leaseMs }),
  });
}

/** Further duties of a process with an engine, for which nothing else waits. */
function buildDuties(options: ServiceOptions, engine: Engine) {
  const { store, log } = options;
  const duties = [buildHeartbeat(options, engine), buildBackups(options)];
  return [
    watchDepths(store, log),
    endPauses(store, log),
    ...duties.filter((duty) => duty !== null),
  ];
}

function buildBackups({ config, store: { clock }, log }: ServiceOptions) {
  const { database, backups } = config;
  if (database.kind !== 'sqlite' || backups === null) return null;
  return createBackups({ ...backups, databasePath: database.path, clock, log });
}

function buildHeartbeat({ config, store: { clock }, log }: ServiceOptions, engine: Engine) {
  const url = config.heartbeatUrl;
  if (url === null) return null;
  const dnsServers = config.dnsServers ?? [];
  // The operator chose the address, and the monitor may be in a private network.
  const sender = createSender({ clock, allowedNetworks: EVERYWHERE, dnsServers });
  return createHeartbeat({ url, sender, isWorking: () => engine.isWorking(), clock, log });
}

function buildApp(
  { config, store, log, baseUrl, dashboardBuild, echo }: ServiceOptions,
  services: Pick<BelfryService, 'people' | 'work' | 'notifier'>,
  { metrics, readiness }: { metrics: Metrics; readiness: Readiness },
): Hono {
  const { people, work } = services;
  const app = buildServicePages({ config, store, baseUrl }, { metrics, readiness });
  if (config.echo) {
    const echo = createEcho({
      clock: store.clock,
      trustedProxies: config.trustedProxies,
      isSecretHeader: work.isSecretHeader,
    });
    app.route('/', echo as unknown as Hono);
  }
  if (config.role === 'engine') return app;
  const api = createApi({
    findTokenOwner: (token) => people.findTokenOwner(token),
    createCron: async (teamId, input) => {
      const cron = await work.createCron(teamId, input);
      metrics.cronAccepted();
      return cron;
    },
    createJob: async (teamId, input, actor) => {
      const job = await work.createJob(teamId, input, actor);
      metrics.jobAccepted();
      return job;
    },
    rateLimiter: buildRateLimiter(config.apiRateLimit, store),
    clock: store.clock,
    log,
    baseUrl,
    trustedProxies: config.trustedProxies,
  });
  app.route('/api', api as unknown as Hono);
  if (!dashboardBuild) return app;
  const dashboard = createLazyDashboard({
    services: { people, work, notifier: limitTests(services) },
    baseUrl,
    echoUrl: config.echo && echo ? urlOfEcho(echo) : null,
    log,
    build: dashboardBuild,
    trustedProxies: config.trustedProxies,
    now: () => store.clock.now(),
  });
  return app.route('/', dashboard);
}

/** The dashboard's tests of channels are limited and recorded (§5.8). */
function limitTests({
  people,
  notifier,
}: Pick<BelfryService, 'people' | 'notifier'>): TestNotifications {
  return {
    sendTest: async (actor, channel, channelId) =>
      (await people.channelTests.beginChannelTest(actor, channel)) ??
      notifier.sendTest(actor.teamId, channel, channelId),
  };
}

/** Pages without a login; served with `ROLE=engine`, too. */
function buildServicePages(
  { config, store, baseUrl }: Pick<ServiceOptions, 'config' | 'store' | 'baseUrl'>,
  { metrics, readiness }: { metrics: Metrics; readiness: Readiness },
): Hono {
  const isReady = async () => {
    await readiness.check();
    return true;
  };
  const { installation } = store;
  const pages = createServicePages({ isReady, baseUrl, installation });
  const metricsPage = createMetricsPage(metrics.registry, {
    token: config.metricsToken,
    servesLoopbackOnly: servesLoopbackOnly(config),
  });
  return new Hono().route('/', pages).route('/', metricsPage);
}

function buildRateLimiter(limit: number, store: Store): RateLimiter | null {
  if (limit === 0) return null;
  const { sharedRates } = store;
  return sharedRates ? createSharedRateLimiter(limit, sharedRates) : new MemoryRateLimiter(limit);
}
