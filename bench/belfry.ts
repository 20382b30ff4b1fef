/** Belfry's modules, assembled as in the service, without the web server. */
import { TEAM_BOUNDS } from '#domain/team/team-bounds';
import { silentLog } from '#domain/base/log';
import { Engine } from '#engine/engine';
import { createSender } from '#outgoing/exchange';
import { type OpenedStore, openStore, type Store, type StoreLocation } from '#store/store';
import { createMetrics } from '#operate/metrics';
import { realClock } from '#app/real-clock';
import { allocateInYoungGeneration } from '#app/young-generation';
import { JOBS, type MakeContestant, type Round } from './contestant.ts';
import { NO_LIMITS } from '#store/figures/usage';

const QUEUE = 'deliveries';
const ASSERTIONS = [{ kind: 'body_contains', text: 'ok' }] as const;
/** The default of the setting. */
export const HISTORY_DAYS = 30;
/** Jobs handed to the store at once while filling it. */
const FILL_AT_ONCE = 2_000;
const ACTOR = 'billing (service account)';

export function locationOf(place: string): StoreLocation {
  return place.startsWith('postgres')
    ? { kind: 'postgres', url: place }
    : { kind: 'sqlite', path: place };
}

/** Opens a store as a start of the service does, with partitions for a history of `HISTORY_DAYS`. */
export async function openBenchStore(place: string): Promise<OpenedStore> {
  const store = await openStore({
    location: locationOf(place),
    appKey: Buffer.alloc(32, 1),
    clock: realClock,
    log: silentLog,
    bounds: TEAM_BOUNDS,
    serving: true,
  });
  await store.retention.keepPartitions(store.clock.now(), { historyDays: HISTORY_DAYS });
  return store;
}

/** A sender that may reach loopback. */
export function buildBenchSender() {
  const allowedNetworks = [{ base: '127.0.0.0', prefix: 8 }];
  return createSender({ clock: realClock, allowedNetworks, dnsServers: [] });
}

/** Makes a team with a paused queue of `jobs` jobs, all due. @returns the team's id */
async function fillQueue(store: Store, round: Round): Promise<string> {
  const { jobs, targetUrl: url, job: name } = round;
  const team = await store.teams.create('Bench', 'unlimited', store.clock.now());
  const isUsual = name === 'usual';
  const settings = { isPaused: true, ...(isUsual && { assertions: ASSERTIONS }) };
  await store.queues.save(team.id, QUEUE, settings, store.clock.now());
  if (isUsual) await store.teams.setSigningSecret(team.id, 'whsec_bench', store.clock.now());
  const job = {
    teamId: team.id,
    queue: QUEUE,
    method: 'POST' as const,
    url,
    headers: JOBS[name].headers.slice(1),
    payload: JOBS[name].body,
    callbackUrl: isUsual ? `${url}/callback` : null,
    delaySeconds: 0,
    actor: ACTOR,
  };
  for (let left = jobs; left > 0; left -= FILL_AT_ONCE) {
    const length = Math.min(left, FILL_AT_ONCE);
    await Promise.all(Array.from({ length }, () => store.jobs.accept(job)));
  }
  return team.id;
}

/** The default of `MAX_CONCURRENT_REQUESTS`. One queue gets two thirds of it (§3.8): `CONCURRENCY` in deliveries.ts. */
const SLOTS = 512;

const makeBelfry: MakeContestant = async (round) => {
  allocateInYoungGeneration();
  const store = await openBenchStore(round.place);
  const sender = buildBenchSender();
  const done = Promise.withResolvers<void>();
  let left = round.jobs;
  const metrics = round.job === 'usual' ? createMetrics() : null;
  const engine = new Engine({
    store: store.forEngine,
    sender,
    log: silentLog,
    observer: {
      ...(metrics && {
        runStarted: (...started) => metrics.runStarted(...started),
        claimed: (...counts) => metrics.claimed(...counts),
        callbackSent: () => metrics.callbackSent(),
      }),
      runEnded: (end) => {
        metrics?.runEnded(end);
        if (--left === 0) done.resolve();
      },
    },
    maxConcurrentRequests: SLOTS,
    responseKeepBytes: 65_535,
    limits: NO_LIMITS,
  });
  let teamId = '';
  return {
    fill: async () => {
      teamId = await fillQueue(store, round);
      await engine.start();
    },
    deliver: async () => {
      await store.queues.save(teamId, QUEUE, { isPaused: false }, store.clock.now());
      await done.promise;
    },
    close: async () => {
      await engine.stop(5_000);
      await sender.close();
      await store.close();
    },
  };
};

export default makeBelfry;
