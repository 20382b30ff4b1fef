import { redirect } from 'react-router';
import { redirectWithCookies, requestContextOf, requestFacts, services } from '../context.ts';
import { redirectWithToast } from '../serving/cookies.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/logout.ts';

export const loader = () => redirect('/');

export async function action({ request, url, context }: Route.ActionArgs) {
  const { accounts } = context.get(services).people;
  const { setCookies } = await accounts.signOut(requestContextOf(request, context));
  const next = url.searchParams.get('next');
  const { proxyClaim, baseUrl } = context.get(requestFacts);
  if (proxyClaim !== null) {
    const out = accounts.proxySignOutUrl();
    // Not relative to our pages: a path may be the proxy's own, beside the path of our address.
    if (out !== null) return redirectWithCookies(new URL(out, baseUrl).href, setCookies);
    return redirectWithToast(context, '/', STILL_IN, setCookies);
  }
  return redirectWithCookies(next ? readNext(next) : '/login', setCookies);
}

const STILL_IN = {
  kind: 'note',
  text: 'The proxy in front of Belfry signs you in with each page. Sign out there.',
} as const;
