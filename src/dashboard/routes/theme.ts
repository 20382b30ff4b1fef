import { openPublic } from '../serving/open.ts';
import { redirect } from 'react-router';
import { themes, writeIsLocal, writeTheme } from '../serving/cookies.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/theme.ts';

export const loader = () => redirect('/');

/** Stores how pages look in a cookie, so that the server renders the next page so: the theme, or the zone of times. */
export async function action({ context }: Route.ActionArgs) {
  const { form, baseUrl } = openPublic(context);
  const times = form.get('times');
  const theme = themes.find((each) => each === form.get('theme')) ?? 'auto';
  const response = redirect(readNext(form.get('next')));
  response.headers.append(
    'Set-Cookie',
    times === null ? writeTheme(theme, baseUrl) : writeIsLocal(times === 'local', baseUrl),
  );
  return response;
}
