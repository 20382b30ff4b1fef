/**
 * The values that middleware, loaders and actions of one request share. These keys exist once, inside the server
 * bundle; `server.ts` reaches them through `createLoadContext` in entry.server.
 */
import { createContext, data, redirect, type RouterContextProvider } from 'react-router';
import { leastRoleFor, may } from '#people/roles';
import type { ReadBody } from './serving/form-guards.ts';
import type {
  Actor,
  Arrival,
  Permission,
  ProxyClaim,
  ProxyRefusal,
  Services,
  Session,
  TeamOfUser,
  RequestContext,
} from './services.ts';

/** Which non-public targets this installation's settings allow. */
export type Targets = {
  /** The installation's own `/echo` (§2.12); null where it is off or can't be called. */
  echoUrl: string | null;
  /** Networks that may be called although they are not public, as people write them. */
  allowedNetworks: readonly string[];
};

/** Facts about one request that belong to no particular page. */
export type RequestFacts = {
  /** Shown on error pages and logged with the cause. */
  requestId: string;
  nonce: string;
  /** Reads the raw body, once per request. The router's own request has no body. */
  readBody: (maxBytes: number) => Promise<ReadBody>;
  /** The request's headers. The router's own request has them, too, but not every helper has that. */
  headers: Headers;
  /** The client's address, by which requests are counted. */
  clientAddress: string;
  arrival: Arrival;
  /** The user in the proxy's headers. */
  proxyClaim: ProxyClaim | null;
  /** The public address, without a slash at its end. */
  baseUrl: string;
  targets: Targets;
  /** Milliseconds since 1970 UTC, one instant for the whole page. */
  now: number;
  logError: (event: string, fields: Record<string, unknown>) => void;
  /** Headers to add to the page's response. */
  answerHeaders: Headers;
};

/** The person who is signed in and their current team, which nearly every page needs. */
export type SignedInAs = {
  session: Session;
  user: Session['user'];
  team: TeamOfUser;
  actor: Actor;
};

export const services = createContext<Services>();
export const requestFacts = createContext<RequestFacts>();
/**
 * The form that was sent, whole and within the limits of its page. Set by the root middleware for
 * every request that may change something.
 */
export const sentForm = createContext<FormData>();
/** Set by the root middleware, null on public pages without a session. */
export const session = createContext<Session | null>(null);
/** Set by the root middleware: why a proxy's user is rejected. */
export const proxyRefusal = createContext<ProxyRefusal | null>(null);
/** Set by the root middleware for all pages that need a person with a current team. */
export const signedIn = createContext<SignedInAs>();

export type Context = Readonly<RouterContextProvider>;

/** The origin of this request, for calls that set or read cookies. */
export function requestContextOf(context: Context): RequestContext {
  const { headers, clientAddress, proxyClaim: claim } = context.get(requestFacts);
  return { headers, clientAddress, claim };
}

/**
 * Returns the signed-in user if their role suffices (§5.8). Otherwise throws the 403 page, which names the users who
 * can help.
 */
export function requirePermission(context: Context, permission: Permission): SignedInAs {
  const me = context.get(signedIn);
  if (may(me.team.role, permission)) return me;
  throw data({ needed: leastRoleFor(permission), team: me.team.name }, { status: 403 });
}

/** Throws the 404 page. A thing that does not exist and a thing of another team must look the same. */
export function notFound(): never {
  throw data(null, { status: 404 });
}

export function addCookies(response: Response, setCookies: readonly string[]): Response {
  for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** A redirect that sets the cookies of the sign-in. */
export function redirectWithCookies(to: string, setCookies: readonly string[]): Response {
  return addCookies(redirect(to), setCookies);
}

/** The same for an answer that stays on the page. */
export function headersOf(setCookies: readonly string[]): [string, string][] {
  return setCookies.map((cookie) => ['Set-Cookie', cookie]);
}
