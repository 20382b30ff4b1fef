/**
 * The one place that decides who sees which page. It runs before every loader and action, for documents
 * and for the router's own data requests alike. A page is for people with a session and a team unless
 * it is named here.
 */
import { data, redirect, type MiddlewareFunction } from 'react-router';
import { basePathOf, ownPathOf } from '#domain/public-address';
import { may } from '#people/roles';
import { isForm } from '../page/may-change.ts';
import {
  proxyRefusal,
  requestContextOf,
  requestFacts,
  requirePermission,
  sentForm,
  services,
  session,
  signedIn,
  type Context,
} from '../context.ts';
import { forgetToast, readToast } from './cookies.ts';
import { isSafeMethod } from './form-guards.ts';
import { requireOwnTeam } from './form-team.ts';
import { guard } from './numbered-faults.ts';
import type { Session, TeamOfUser, Work } from '../services.ts';
import { takeForm } from './take-form.ts';

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

let isSetUp = false;

const decide: MiddlewareFunction<Response> = async ({ request, url, pattern, context }, next) => {
  const { people } = context.get(services);
  const { baseUrl, proxyClaim } = context.get(requestFacts);
  const page = pattern.startsWith('/') ? pattern : `/${pattern}`;
  const { session: current, refusal } = await people.accounts.arrive(
    proxyClaim,
    requestContextOf(request, context),
    mayOpen(request, page),
  );
  context.set(session, current);
  context.set(proxyRefusal, refusal);
  if (!publicPages.has(page)) {
    const elsewhere = current
      ? enter(current, page)
      : await findSignIn(request, `${ownPathOf(url, baseUrl)}${url.search}`, people.accounts);
    // The router adds the base path to redirects of loaders and actions, but not to those of a middleware.
    if (elsewhere !== null) {
      return withCookies(redirect(`${basePathOf(baseUrl)}${elsewhere}`), current?.setCookies);
    }
    if (current?.team) {
      const { user, team } = current;
      const all = context.get(services);
      context.set(services, { ...all, work: workOf(current.user, team, context) });
      context.set(signedIn, {
        session: current,
        user,
        team,
        actor: { userId: user.id, teamId: team.id, role: team.role },
      });
      if (isForm(page)) requirePermission(context, 'work');
    }
  }
  if (!isSafeMethod(request.method)) {
    const form = await takeForm(request, context, publicPages.has(page) ? 'anybody' : 'signed-in');
    if (!publicPages.has(page) && !teamlessPages.has(page))
      requireOwnTeam(form, page, context.get(signedIn));
    context.set(sentForm, form);
  }
  const response = withCookies(await next(), current?.setCookies);
  if (readToast(request) && !response.headers.has('Location')) {
    response.headers.append('Set-Cookie', forgetToast(baseUrl));
  }
  return response;
};

export const pageAccess = guard(decide);

/**
 * For whom the proxy's word opens a session. A form that arrives without one, or with somebody else's, changes nothing:
 * who sent it saw the page as another person, or as nobody.
 */
function mayOpen({ method }: Request, page: string) {
  if (!isSafeMethod(method)) return 'nobody';
  return publicPages.has(page) && page !== '/login' ? 'known' : 'anybody';
}

function withCookies(response: Response, setCookies: readonly string[] = []): Response {
  for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** What the person may do with the team's work (§5.8): it refuses by itself what the role does not allow. */
function workOf({ id }: Session['user'], { role }: TeamOfUser, context: Context): Work {
  const { work } = context.get(services);
  if (!may(role, 'work')) return work.forViewer();
  return work.as({ userId: id }, { error: context.get(requestFacts).logError });
}

function enter(current: Session, page: string): string | null {
  return current.team || teamlessPages.has(page) ? null : '/teams/new';
}

/**
 * Where to send somebody who is signed out: to `/setup` if there is no account yet, else to the sign-in, which leads
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
  return wanted === '/' ? '/login' : `/login?next=${encodeURIComponent(wanted)}`;
}
