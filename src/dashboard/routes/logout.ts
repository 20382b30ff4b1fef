import { redirect } from 'react-router';
import { redirectWithCookies, services, requestContextOf } from '../context.ts';
import { readNext } from '../serving/cookies.ts';
import type { Route } from './+types/logout.ts';

export const loader = () => redirect('/');

export async function action({ request, url, context }: Route.ActionArgs) {
  const { setCookies } = await context
    .get(services)
    .people.accounts.signOut(requestContextOf(request, context));
  const next = url.searchParams.get('next');
  return redirectWithCookies(next ? readNext(next) : '/login', setCookies);
}
