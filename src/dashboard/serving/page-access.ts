/**
 * The one place that decides who sees which page. It runs before every loader and action, for documents
 * and for the router's own data requests alike. A page is for people with a session and a team unless
 * it is named here.
 */
import { data, type MiddlewareFunction } from 'react-router';
import { basePathOf, ownPathOf } from '#domain/public-address';
import { may } from '#people/roles';
import { isForm } from '../page/may-change.ts';
import {
  addCookies,
  proxyRefusal,
  redirectWithCookies,
  requestContextOf,
  requestFacts,
  requirePermission,
  sentForm,
  services,
  session,
  signedIn,
  type Context,
} from '../context.ts';
import { forgetToast, readToast, type Toast } from './cookies.ts';
import { isSafeMethod } from './form-guards.ts';
import { requireOwnTeam, requireSamePerson } from './form-team.ts';
import { guard } from './numbered-faults.ts';
import type { Services, Session, TeamOfUser, Work } from '../services.ts';
import { signInPath } from './own-path.ts';
import { takeForm, type FormKind } from './take-form.ts';

/** Patterns of routes that need no sign-in. */
const publicPages = new Set([
  '/login',
  '/login/code',
  '/login/passkey',
  '/login/provider',
  '/login/provider/back',
  '/register',
  '/register/:token',
  '/setup',
  '/forgot-password',
  '/reset-password/:token',
  '/invitations/:token',
  '/confirm-email/:token',
  '/stop-email-change/:token',
  '/theme',
  '/logout',
  '/connection',
]);

/** Patterns of routes that need a person, but no team. */
const teamlessPages = new Set(['/teams/new', '/teams/switch']);

/** Patterns of routes whose forms hold a payload. */
const payloadPages = new Set([
  '/crons/new',
  '/crons/:id/edit',
  '/jobs/new',
  '/jobs/:id/edit',
  '/settings/signing',
]);

let isSetUp = false;

const decide: MiddlewareFunction<Response> = async ({ request, url, pattern, context }, next) => {
  const { baseUrl } = context.get(requestFacts);
  const page = pattern.startsWith('/') ? pattern : `/${pattern}`;
  const setCookies: string[] = [];
  const admit = makeAdmission({ request, url, page, context, setCookies });
  let elsewhere = await admit();
  if (elsewhere === null && !isSafeMethod(request.method)) {
    const form = await takeForm(request, context, kindOfForm(page));
    context.set(sentForm, form);
    // The form may have arrived slowly: session, team and role are read again.
    elsewhere = await admit();
    if (elsewhere === null && !publicPages.has(page)) {
      requireSamePerson(form, context.get(session));
      if (!teamlessPages.has(page)) requireOwnTeam(form, page, context.get(signedIn));
    }
  }
  // The router adds the base path to redirects of loaders and actions, but not to those of a middleware.
  if (elsewhere !== null)
    return redirectWithCookies(`${basePathOf(baseUrl)}${elsewhere}`, setCookies);
  const response = addCookies(await next(), setCookies);
  const toast = readToast(request);
  if (toast && isToastShown(toast, { url, page, response })) {
    response.headers.append('Set-Cookie', forgetToast(baseUrl));
  }
  return response;
};

/**
 * A page that the browser loads shows the message itself. Of pages that scripts load, one tab does, and reports it by
 * `/connection`; another tab that refreshes meanwhile must not take the message away.
 */
function isToastShown(
  toast: Toast,
  { url, page, response }: { url: URL; page: string; response: Response },
): boolean {
  if (page === '/connection') return url.searchParams.get('said') === toast.key;
  return response.headers.get('Content-Type')?.startsWith('text/html') === true;
}

interface Visit {
  request: Request;
  url: URL;
  page: string;
  context: Context;
  /** Collects cookies for the response. */
  setCookies: string[];
}

/**
 * Makes a function that reads the user, and puts it into the context. It returns the path to redirect to, or null if
 * they may have the page, and throws a page that rejects.
 */
function makeAdmission({ request, url, page, context, setCookies }: Visit) {
  const all = context.get(services);
  const { baseUrl } = context.get(requestFacts);
  const { accounts } = all.people;
  return async (): Promise<string | null> => {
    const { session: current, refusal } = await accounts.arrive(
      requestContextOf(context),
      whomProxyLets(request, page),
    );
    context.set(session, current);
    context.set(proxyRefusal, refusal);
    setCookies.push(...(current?.setCookies ?? []));
    if (publicPages.has(page)) return null;
    if (!current) {
      return findSignIn(request, `${ownPathOf(url, baseUrl)}${url.search}`, accounts);
    }
    if (!current.team) return teamlessPages.has(page) ? null : '/teams/new';
    const { user, team } = current;
    context.set(services, { ...all, work: workOf(all.work, user, team, context) });
    context.set(signedIn, {
      session: current,
      user,
      team,
      actor: { userId: user.id, teamId: team.id, role: team.role },
    });
    if (isForm(page)) requirePermission(context, 'work');
    return null;
  };
}

function kindOfForm(page: string): FormKind {
  if (publicPages.has(page)) return 'anybody';
  return payloadPages.has(page) ? 'with-payload' : 'signed-in';
}

export const pageAccess = guard(decide);

/** Whom the proxy's header admits: a form alone links and makes no account. */
function whomProxyLets({ method }: Request, page: string) {
  if (!isSafeMethod(method)) return 'joined';
  return publicPages.has(page) && page !== '/login' ? 'known' : 'anybody';
}

/** The team's work for this person: it refuses what the role does not allow (§5.8), and records changes. */
function workOf(
  work: Services['work'],
  { id }: Session['user'],
  { role }: TeamOfUser,
  context: Context,
): Work {
  return work.for({
    doer: { userId: id },
    may: (permission) => may(role, permission),
    log: { error: context.get(requestFacts).logError },
  });
}

/**
 * Where a signed-out visitor is redirected: to `/setup` if there is no account yet, else to the sign-in, which leads
 * back here.
 */
async function findSignIn(
  request: Request,
  wanted: string,
  accounts: { isSetUp: () => Promise<boolean> },
): Promise<string> {
  isSetUp ||= await accounts.isSetUp();
  if (!isSetUp) return '/setup';
  // After a redirect, a form that was sent after the session ended could not be sent again.
  if (!isSafeMethod(request.method)) throw data({ signedOut: true }, { status: 401 });
  return signInPath(wanted);
}
