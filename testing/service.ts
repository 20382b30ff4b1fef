import { getRequestListener } from '@hono/node-server';
import { readConfig } from '#config/config';
import { type Log, silentLog } from '#domain/base/log';
import { type BelfryService, buildService } from '#app/service';
import type { FakeClock } from '#demo/fake-clock';
import { type OpenTestStore, TEST_APP_KEY, type TestStore } from './stores.ts';
import { type Answer, postJson } from './client.ts';
import { eventually } from './process.ts';
import { useStarted } from './hooks.ts';
import { startHttpServer } from './http-server.ts';
import { aUser, LIGHT_WORK } from './users.ts';

/** The whole service in this process, on a real database and real sockets, with a clock that only tests move. */
export interface TestService extends Omit<BelfryService, 'store'>, AsyncDisposable {
  store: TestStore;
  clock: FakeClock;
  url: string;
  /** The current team of a user who was made by the command line's method. */
  teamId: string;
  token: string;
  /** POSTs JSON as a well-behaved client does. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Advances the clock until the engine has settled all work that it has seen. */
  advance(ms: number): Promise<void>;
  /** Waits until nothing is being sent or settled. */
  quiet(): Promise<void>;
}

export interface TestServiceOptions {
  env?: Record<string, string>;
  plan?: string;
  sends?: boolean;
  log?: Log;
}

const SETTINGS = {
  DATABASE_URL: 'sqlite::memory:',
  ALLOWED_NETWORKS: '127.0.0.0/8',
  API_RATE_LIMIT: '0',
  PLANS: 'unlimited=unlimited,free=1000,tiny=3',
};

/** The team of the service's first user. */
export const TEAM = 'Analytical Engines';

export async function startService(
  openTestStore: OpenTestStore,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const config = readConfig({ ...SETTINGS, ...options.env }, '/');
  if ('errors' in config) throw new Error(config.errors.join('\n'));
  // With its threads, as in the service: hours of the clock pass in fewer steps where answers take a moment.
  const store = await openTestStore({
    serving: true,
    onThisThread: false,
    bounds: config.teamBounds,
  });
  const clock = store.testClock;
  const server = await startHttpServer((request, response) => void answer(request, response));
  const { url } = server;
  const service = buildService({
    config,
    appKey: TEST_APP_KEY,
    store,
    log: options.log ?? silentLog,
    baseUrl: url,
    leaseMs: 365 * 24 * 3600 * 1000,
    peopleConfig: { passwordWork: LIGHT_WORK },
  });
  const answer = getRequestListener(service.app.fetch);
  const user = await aUser(service, 'ada@example.com', { team: TEAM });
  if (options.plan) await service.people.operator.setPlan(user.teamId, options.plan);
  if (options.sends !== false) await service.engine?.start();
  const quiet = () =>
    eventually(async () => service.engine?.isQuiet() ?? true, { what: 'the engine to be quiet' });
  return {
    ...service,
    store,
    clock,
    url,
    teamId: user.teamId,
    token: user.apiToken,
    post: (path, body, headers = {}) => postJson(`${url}${path}`, user.apiToken, body, { headers }),
    quiet: async () => void (await quiet()),
    advance: async (ms) => {
      await clock.advance(ms);
      await quiet();
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      const stopped = service.stop(0);
      await clock.advance(1);
      await stopped;
      await store[Symbol.asyncDispose]();
    },
  };
}

export function useService(...given: Parameters<typeof startService>): TestService {
  return useStarted(() => startService(...given));
}
