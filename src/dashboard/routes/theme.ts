import { redirect } from 'react-router';
import { redirectWithCookies } from '../context.ts';
import { theme, times } from '../serving/cookies.ts';
import { openPublic } from '../serving/open.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/theme.ts';

export const loader = () => redirect('/');

/** A cookie, so that the server renders the next page with it: the theme, or the zone. */
export async function action({ context }: Route.ActionArgs) {
  const { form, baseUrl } = openPublic(context);
  const cookie = form.has('times')
    ? times.write(form.get('times'), baseUrl)
    : theme.write(form.get('theme'), baseUrl);
  return redirectWithCookies(readNext(form.get('next')), [cookie]);
}
