import type { People } from '#people/people';
import type { PasswordWork } from '#people/passwords';
import type { Role } from '#people/roles';

export const PASSWORD = 'correct horse battery';

/** A hash names its own work, so a sign-in takes little too. */
export const LIGHT_WORK: PasswordWork = { costLog2: 4, passes: 1 };

export interface TestUser {
  email: string;
  userId: string;
  teamId: string;
  apiToken: string;
}

/** Makes a user as the operator does; the first of a team is its owner. */
export async function aUser(
  { people }: { people: Pick<People, 'operator'> },
  email: string,
  { team = 'Bells', role }: { team?: string; role?: Role | undefined } = {},
): Promise<TestUser> {
  const made = await people.operator.createUser({ email, password: PASSWORD, team, role });
  if (made.kind !== 'created') throw new Error(JSON.stringify(made));
  return { ...made, email };
}
