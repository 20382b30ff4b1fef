/**
 * Decides who sees which page, before every loader and action. Pages that are not named here need a session and a team.
 */
import { data, type MiddlewareFunction } from 'react-router';
import { nameUser } from '#domain/team/actors';
import { basePathOf, ownPathOf } from '#domain/http/public-address';
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
import { forgetToast, readToast } from './cookies.ts';
import { isSafeMethod } from './form-guards.ts';
import { requireOwnTeam, requireSamePerson } from './form-team.ts';
import { guard } from './numbered-faults.ts';
import type { Services } from '../services.ts';
import { signInPath } from './own-path.ts';
import { takeForm } from './take-form.ts';

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
  '/confirm-address/:token',
  '/stop-alerts/:token',
  '/theme',
  '/logout',
  '/connection',
]);

const teamlessPages = new Set(['/teams/new', '/teams/switch']);

const payloadPages = new Set(['/crons/new', '/crons/:id/edit', '/jobs/new', '/jobs/:id/edit']);

let isSetUp = false;

const decide: MiddlewareFunction<Response> = async ({ request, url, pattern, context }, next) => {
  const { baseUrl } = context.get(requestFacts);
  const page = pattern.startsWith('/') ? pattern : `/${pattern}`;
  const isPublic = publicPages.has(page);
  const visit = { request, url, page, context, setCookies: [], all: context.get(services) };
  let elsewhere = await admit(visit);
  if (elsewhere === null && !isSafeMethod(request.method)) {
    const kind = payloadPages.has(page) ? 'with-payload' : 'signed-in';
    const form = await takeForm(request, context, isPublic ? 'anybody' : kind);
    context.set(sentForm, form);
    // The form may have arrived slowly: session, team and role are read again.
    elsewhere = await admit(visit);
    if (elsewhere === null && !isPublic) {
      requireSamePerson(form, context.get(session));
      if (!teamlessPages.has(page)) requireOwnTeam(form, page, context.get(signedIn));
    }
  }
  // The router adds the base path to redirects of loaders and actions, but not to those of a middleware.
  if (elsewhere !== null)
    return redirectWithCookies(`${basePathOf(baseUrl)}${elsewhere}`, visit.setCookies);
  const response = addCookies(await next(), visit.setCookies);
  const toast = readToast(request);
  // A page that the browser loads shows the message itself. Of pages that scripts load, one tab does, and reports it by
  // `/connection`; another tab that refreshes meanwhile must not take the message away.
  const isShown =
    page === '/connection'
      ? url.searchParams.get('said') === toast?.key
      : response.headers.get('Content-Type')?.startsWith('text/html');
  return toast && isShown ? addCookies(response, [forgetToast(baseUrl)]) : response;
};

export const pageAccess = guard(decide);

interface Visit {
  request: Request;
  url: URL;
  page: string;
  context: Context;
  setCookies: string[];
  all: Services;
}

/**
 * Returns the path to redirect to, or null if they may have the page; throws a page that
 * rejects.
 */
async function admit({ request, url, page, context, setCookies, all }: Visit) {
  const { accounts } = all.people;
  const isPublic = publicPages.has(page);
  const isSafe = isSafeMethod(request.method);
  // Whom the proxy's header admits: a form alone only links.
  const lets = !isSafe ? 'joined' : isPublic && page !== '/login' ? 'known' : 'anybody';
  const { session: current, refusal } = await accounts.arrive(requestContextOf(context), lets);
  context.set(session, current);
  context.set(proxyRefusal, refusal);
  setCookies.push(...(current?.setCookies ?? []));
  if (isPublic) return null;
  const { baseUrl, logError } = context.get(requestFacts);
  if (!current) {
    isSetUp ||= await accounts.isSetUp();
    if (!isSetUp) return '/setup';
    // After a redirect, a form that was sent after the session ended could not be sent again.
    if (!isSafe) throw data(null, { status: 401 });
    return signInPath(`${ownPathOf(url, baseUrl)}${url.search}`);
  }
  if (!current.team) return teamlessPages.has(page) ? null : '/teams/new';
  const { user, team } = current;
  // Refuses what the role does not allow (§5.8), and records changes.
  const work = all.work.for({
    doer: { userId: user.id },
    actor: nameUser(user),
    may: (permission) => may(team.role, permission),
    log: { error: logError },
  });
  context.set(services, { ...all, work });
  const actor = { userId: user.id, teamId: team.id, role: team.role };
  context.set(signedIn, { session: current, user, team, actor });
  if (isForm(page)) requirePermission(context, 'work');
  return null;
}
