import { redirect } from 'react-router';
import { notFound, services, session } from '../context.ts';
import { readText } from '../parts/readForm.ts';
import type { Route } from './+types/teams.switch.ts';

export const loader = () => redirect('/');

/** Makes another of the user's teams the current one; always to the overview, since ids belong to one team. */
export async function action({ request, context }: Route.ActionArgs) {
  const current = context.get(session);
  if (!current) throw redirect('/login');
  const teamId = readText(await request.formData(), 'teamId');
  if (!(await context.get(services).people.teams.switchTeam(current.user.id, teamId))) notFound();
  return redirect('/');
}
