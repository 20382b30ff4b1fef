import { openStore } from '#store/store';
import { FakeClock } from '#demo/fake-clock';
import { CookieJar } from './client.ts';
import { keepEvents } from './kept-events.ts';
import { lendSqliteFile } from './stores.ts';
import type { Actor } from '#people/actor';
import type { PeopleConfig, RequestContext } from '#people/context';
import { createPeople } from '#people/people';
import { aUser, PASSWORD } from './users.ts';

/** The module `people` on a database, with its own clock and log. */

export { aUser, PASSWORD } from './users.ts';

export async function openPeople(config: Partial<PeopleConfig> = {}) {
  const { location, drop } = await lendSqliteFile();
  const clock = new FakeClock(Date.now());
  const { events, log } = keepEvents();
  const appKey = new Uint8Array(32);
  const store = await openStore({
    location,
    appKey,
    clock,
    log,
    serving: false,
    onThisThread: true,
  });
  const people = createPeople({
    store,
    clock,
    log,
    config: {
      baseUrl: 'http://localhost:3000',
      appKey,
      signUp: 'invite',
      isBehindProxy: false,
      provider: null,
      proxySignIn: null,
      groupRoles: [],
      providerSessionHours: null,
      passwordSignIn: true,
      maxTeamsPerUser: 10,
      sessionMaxDays: 90,
      smtpUrl: null,
      mailFrom: 'belfry@example.test',
      plans: [
        { name: 'free', monthlyLimit: 1000 },
        { name: 'pro', monthlyLimit: null },
      ],
      newTeamPlan: 'free',
      passwordWork: { costLog2: 10, passes: 1 },
      ...config,
    },
  });
  return {
    people,
    store,
    clock,
    events,
    [Symbol.asyncDispose]: async () => {
      await people.close();
      await store.close();
      await drop();
    },
  };
}
export type TestPeople = Awaited<ReturnType<typeof openPeople>>;

type TeamRole = 'owner' | 'admin' | 'member';

/** With an owner, an admin and a member. */
export async function aTeam(fixture: TestPeople): Promise<Record<TeamRole, Actor>> {
  const actors: Partial<Record<TeamRole, Actor>> = {};
  for (const role of ['owner', 'admin', 'member'] as const) {
    const { userId, teamId } = await aUser(fixture, `${role}@bells.test`, { role });
    actors[role] = { userId, teamId, role };
  }
  return actors as Record<TeamRole, Actor>;
}

/** Needs no setup code. */
export const LOCAL = { rawHeaders: ['Host', 'localhost:3000'], address: '127.0.0.1' };

let lastAddress = 0;

/** A person's browser: keeps cookies, and has a unique address. */
export class Browser {
  readonly #cookies = new CookieJar();
  readonly clientAddress: string;

  constructor(clientAddress = `198.51.100.${++lastAddress}`) {
    this.clientAddress = clientAddress;
  }

  get headers(): Headers {
    return new Headers(this.#cookies.headers);
  }

  get request(): RequestContext {
    return { headers: this.headers, clientAddress: this.clientAddress };
  }

  /** The cookies that could be a session's. The mark of a known browser remains after a sign-out. */
  get sessionCookies(): string[] {
    return [...this.#cookies.keys()].filter((name) => name.startsWith('belfry.'));
  }

  take<T extends object>(answer: T): T {
    const { setCookies = [] } = answer as { setCookies?: string[] };
    this.#cookies.take(setCookies);
    return answer;
  }

  async signIn({ people }: TestPeople, email: string, password = PASSWORD) {
    return this.take(await people.accounts.signIn({ email, password }, this.request));
  }

  session({ people }: TestPeople) {
    return people.accounts.readSession(this.headers);
  }
}
