import { openPublic } from '../serving/open.ts';
import { redirect } from 'react-router';
import { redirectWithCookies } from '../context.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/logout.ts';

export const loader = () => redirect('/');

export async function action({ url, context }: Route.ActionArgs) {
  const { accounts, proxyClaim, baseUrl, say, requestContext } = openPublic(context);
  const { setCookies } = await accounts.signOut(requestContext);
  const next = url.searchParams.get('next');
  if (proxyClaim !== null) {
    const out = accounts.proxySignOutUrl();
    // It may be the proxy's own path, outside of our base path.
    if (out !== null) return redirectWithCookies(new URL(out, baseUrl).href, setCookies);
    return say('/', STILL_IN, setCookies);
  }
  return redirectWithCookies(next ? readNext(next) : '/login', setCookies);
}

const STILL_IN = {
  kind: 'note',
  text: 'The proxy in front of Belfry signs you in with each page. Sign out there.',
} as const;
