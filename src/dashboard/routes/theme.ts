import { redirect } from 'react-router';
import { requestFacts, sentForm } from '../context.ts';
import { readNext, themes, writeTheme } from '../serving/cookies.ts';
import type { Route } from './+types/theme.ts';

export const loader = () => redirect('/');

/** Stores the chosen theme in a cookie, so that the server renders the next page in it. */
export async function action({ context }: Route.ActionArgs) {
  const form = context.get(sentForm);
  const theme = themes.find((each) => each === form.get('theme')) ?? 'auto';
  const response = redirect(readNext(form.get('next')));
  response.headers.append('Set-Cookie', writeTheme(theme, context.get(requestFacts).baseUrl));
  return response;
}
