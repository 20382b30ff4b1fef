import type { Store } from '#store/store';
import type { TeamOfUser } from '#store/users';
import { normalizeEmail } from './fields.ts';
import type { LibraryLoader } from './library-loader.ts';
import type { Limits } from './limits.ts';
import type { TooMany } from './outcomes.ts';
import { pickCookies, type Visitor } from './visitor.ts';

export type { TeamOfUser } from '#store/users';

/** `setCookies` are whole `Set-Cookie` values, to be sent with the answer. */
export interface SignedIn {
  kind: 'signed-in';
  setCookies: string[];
}

export type Opened = SignedIn | { kind: 'second-factor'; setCookies: string[] } | { kind: 'wrong' };

export interface Session {
  id: string;
  user: { id: string; name: string; email: string; hasSecondFactor: boolean };
  /** The user's current team (D34); null where it was deleted or left and none was chosen since. */
  team: TeamOfUser | null;
  /** Every team of the user, by name. */
  teams: TeamOfUser[];
  /** Cookies to renew with this answer; mostly empty. */
  setCookies: string[];
}

export interface SessionDeps {
  store: Store;
  library: LibraryLoader;
  limits: Limits;
}

/** Signing in and out, and who a request is from. */
export class Sessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Who the request is from, in which team and role: read anew each time, so that a change holds at once. */
  async readSession(headers: Headers): Promise<Session | null> {
    if (pickCookies(headers, ['session']) === '') return null;
    const visitor = { headers, clientAddress: '' };
    const answer = await this.#deps.library.ask(visitor, ['session'], (api, shown) =>
      api.getSession({ headers: shown, returnHeaders: true }),
    );
    if (answer.kind === 'declined' || !answer.response) return null;
    const { session } = answer.response;
    const { users } = this.#deps.store;
    const [user, teams] = await Promise.all([
      users.find(session.userId),
      users.listTeams(session.userId),
    ]);
    if (!user) return null;
    const { id, name, email, hasSecondFactor, currentTeamId } = user;
    return {
      id: session.id,
      user: { id, name, email, hasSecondFactor },
      team: teams.find((team) => team.id === currentTeamId) ?? null,
      teams,
      setCookies: answer.setCookies,
    };
  }

  /** A wrong email and a wrong password look the same and take the same time. */
  async signIn(
    { email, password }: { email: string; password: string },
    visitor: Visitor,
  ): Promise<Opened | TooMany> {
    const { limits, library } = this.#deps;
    const tooMany = await limits.count('guess', visitor.clientAddress);
    if (tooMany) return tooMany;
    const result = await openSession(library, { email, password }, visitor);
    if (result.kind === 'signed-in') await limits.takeBack('guess', visitor.clientAddress);
    return result;
  }

  async signOut(visitor: Visitor): Promise<{ setCookies: string[] }> {
    const answer = await this.#deps.library.ask(visitor, ['session'], (api, headers) =>
      api.signOut({ headers, returnHeaders: true }),
    );
    return { setCookies: answer.kind === 'answered' ? answer.setCookies : [] };
  }

  /** Ends every session of the user, this one included. */
  async signOutEverywhere(userId: string, visitor: Visitor): Promise<{ setCookies: string[] }> {
    await this.#deps.store.users.endSessions(userId);
    return this.signOut(visitor);
  }
}

/** Signs in without counting: behind a count of guesses, or for whoever has just set the password. */
export async function openSession(
  library: LibraryLoader,
  { email, password }: { email: string; password: string },
  visitor: Visitor,
): Promise<Opened> {
  const body = { email: normalizeEmail(email), password };
  const answer = await library.ask(visitor, [], (api, headers) =>
    api.signInEmail({ body, headers, returnHeaders: true }),
  );
  if (answer.kind === 'declined') return { kind: 'wrong' };
  const { response, setCookies } = answer;
  return 'twoFactorRedirect' in response
    ? { kind: 'second-factor', setCookies }
    : { kind: 'signed-in', setCookies };
}
