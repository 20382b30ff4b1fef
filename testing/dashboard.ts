import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { readConfig } from '#config/config';
import { openBuildFolder } from '#dashboard/build';
import type { Role } from '#people/roles';
import type { PasswordWork } from '#people/passwords';
import { type BelfryService, buildService } from '#app/service';
import { openStore } from '#store/store';
import { realClock } from '#app/real-clock';
import { useStarted } from './hooks.ts';
import { keepEvents, type KeptEvent } from './kept-events.ts';
import { lendSqliteFile, TEST_APP_KEY } from './stores.ts';
import { aUser, LIGHT_WORK, PASSWORD, type TestUser } from './users.ts';
import { Visitor } from './visitor.ts';

export { PASSWORD, type TestUser } from './users.ts';

/** Runs in real time. */
export interface TestDashboard extends AsyncDisposable {
  service: BelfryService;
  url: string;
  /** The logged events, in order; they include mails where no server takes them. */
  events: KeptEvent[];
  /** A client over plain HTTP, with cookies and an address of its own. */
  visitor(): Visitor;
  /** Makes a user as the operator does; the first of a team is its owner. */
  user(email: string, place?: { team?: string; role?: Role }): Promise<TestUser>;
  newTeam(): Promise<TestUser>;
  /** Stops answering, as if the process were gone. The returned function starts it again on the same address. */
  goAway(): Promise<Absence>;
  signIn(user: { email: string }): Promise<Visitor>;
}

interface Absence extends AsyncDisposable {
  end(): Promise<void>;
}

const SETTINGS = {
  DATABASE_URL: 'sqlite::memory:',
  ALLOWED_NETWORKS: '127.0.0.0/8',
  API_RATE_LIMIT: '0',
  // Each visitor says from which address it comes.
  TRUSTED_PROXIES: '1',
  PLANS: 'free=1000,small=10',
};

const BUILD = new URL('../build/dashboard', import.meta.url).pathname;

interface DashboardChoices {
  appKey?: Uint8Array;
  sends?: boolean;
  passwordWork?: PasswordWork;
  /** The host in the address of pages; browsers support passkeys only for names. */
  host?: 'localhost' | '127.0.0.1';
}

/**
 * @param env  settings as an operator would set them; the database is one of its own unless they name another
 * @param appKey  the key with which that database was made
 */
export async function startDashboard(
  env: Record<string, string> = {},
  {
    appKey = TEST_APP_KEY,
    sends = true,
    passwordWork = LIGHT_WORK,
    host = '127.0.0.1',
  }: DashboardChoices = {},
): Promise<TestDashboard> {
  const config = readConfig({ ...SETTINGS, ...env }, '/');
  if ('errors' in config) throw new Error(config.errors.join('\n'));
  const { events, log } = keepEvents();
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const echo = { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const listening = `http://${host}:${echo.port}`;
  const isOwn = config.database.kind === 'sqlite-memory';
  const { location, drop } = isOwn
    ? await lendSqliteFile()
    : { location: config.database, drop: async () => {} };
  const store = await openStore({
    location,
    onThisThread: isOwn,
    appKey,
    clock: realClock,
    log,
    bounds: config.teamBounds,
    serving: true,
  });
  const service = buildService({
    config,
    appKey,
    store,
    log,
    baseUrl: config.baseUrl ?? listening,
    echo,
    dashboardBuild: openBuildFolder(BUILD),
    peopleConfig: { passwordWork },
  });
  const answer = getRequestListener(service.app.fetch);
  if (sends) {
    await service.engine?.start();
    service.bulkRunner.start();
  }
  const visitor = () => new Visitor(listening, config.baseUrl ?? listening);
  const user: TestDashboard['user'] = (...given) => aUser(service, ...given);
  let teams = 0;
  return {
    service,
    url: listening,
    events,
    visitor,
    user,
    newTeam: () => user(`owner${++teams}@bells.test`, { team: `Team ${teams}` }),
    signIn: async ({ email }) => {
      const someone = visitor();
      const answer = await someone.post('/login', { email, password: PASSWORD });
      if (answer.status !== 302) throw new Error(`${answer.status} ${answer.text.slice(0, 500)}`);
      return someone;
    },
    goAway: async () => {
      const { port } = server.address() as AddressInfo;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      const end = async () => {
        if (server.listening) return;
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
      };
      return { end, [Symbol.asyncDispose]: end };
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all([service.engine?.stop(0), service.bulkRunner.stop()]);
      await service.people.close();
      await service.sender.close();
      await store.close();
      await drop();
    },
  };
}

export function useDashboard(...given: Parameters<typeof startDashboard>): TestDashboard {
  return useStarted(() => startDashboard(...given));
}
