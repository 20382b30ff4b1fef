import { data } from 'react-router';
import { signedIn, type Context } from '../context.ts';

/** How many of a person's teams are looked through. */
const mostTeams = 50;

/**
 * Throws the 404 page for an id that the current team does not have. If another team of the same person has it, the
 * page offers to switch. To anybody else it looks as if it did not exist.
 *
 * @param find  looks for the id in one team; returns null or undefined if it is not there
 */
export async function notHere(
  context: Context,
  find: (teamId: string) => Promise<unknown>,
): Promise<never> {
  const { session, team } = context.get(signedIn);
  for (const { id, name } of session.teams.slice(0, mostTeams)) {
    if (id === team.id || !(await find(id))) continue;
    throw data({ elsewhere: { id, name } }, { status: 404 });
  }
  throw data(null, { status: 404 });
}
