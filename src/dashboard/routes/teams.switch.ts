import { notFound, openPublic } from '../serving/open.ts';
import { redirect } from 'react-router';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/teams.switch.ts';

export const loader = () => redirect('/');

/** Redirects to the overview, since ids belong to one team, or to `next`. With `stay` it doesn't. */
export async function action({ context }: Route.ActionArgs) {
  const { session: current, field, form, teams } = openPublic(context);
  if (!current) throw redirect('/login');
  const teamId = field('teamId');
  if (!(await teams.switchTeam(current.user.id, teamId))) notFound();
  return form.has('stay') ? null : redirect(readNext(form.get('next')));
}
