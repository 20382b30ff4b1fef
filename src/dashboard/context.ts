/** The keys exist once, inside the server bundle; `server.ts` uses `createLoadContext` in entry.server. */
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

export type RequestFacts = {
  /** On error pages and in the log. */
  requestId: string;
  nonce: string;
  /** Once per request; the router's request has no body. */
  readBody: (maxBytes: number) => Promise<ReadBody>;
  headers: Headers;
  clientAddress: string;
  arrival: Arrival;
  proxyClaim: ProxyClaim | null;
  /** Without a slash at its end. */
  baseUrl: string;
  /** §2.12; null if it is off. */
  echoUrl: string | null;
  /** One instant for the whole page. */
  now: number;
  logError: (event: string, fields: Record<string, unknown>) => void;
  answerHeaders: Headers;
};

export type SignedInAs = {
  session: Session;
  user: Session['user'];
  team: TeamOfUser;
  actor: Actor;
};

export const services = createContext<Services>();
export const requestFacts = createContext<RequestFacts>();
/** Within the page's limits; set by the root middleware. */
export const sentForm = createContext<FormData>();
/** Null on public pages without a session. */
export const session = createContext<Session | null>(null);
export const proxyRefusal = createContext<ProxyRefusal | null>(null);
export const signedIn = createContext<SignedInAs>();

export type Context = Readonly<RouterContextProvider>;

export function requestContextOf(context: Context): RequestContext {
  const { headers, clientAddress, proxyClaim: claim } = context.get(requestFacts);
  return { headers, clientAddress, claim };
}

/** Throws the 403 page, which names users who can help (§5.8). */
export function requirePermission(context: Context, permission: Permission): SignedInAs {
  const me = context.get(signedIn);
  if (may(me.team.role, permission)) return me;
  throw data({ needed: leastRoleFor(permission), team: me.team.name }, { status: 403 });
}

export function addCookies(response: Response, setCookies: readonly string[]): Response {
  for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
  return response;
}

export function redirectWithCookies(to: string, setCookies: readonly string[]): Response {
  return addCookies(redirect(to), setCookies);
}

export function headersOf(setCookies: readonly string[]): [string, string][] {
  return setCookies.map((cookie) => ['Set-Cookie', cookie]);
}
