/**
 * Ensures that a form acts only as the user who opened it, and changes only the team that it was opened for, even if
 * another user has signed in or another team has been selected.
 */
import { data } from 'react-router';
import type { SignedInAs } from '../context.ts';
import type { Session } from '../services.ts';

/** The fields that every form of a signed-in person carries (see forms/Form.tsx). */
export const teamField = 'for_team';
export const personField = 'for_person';

/** Patterns of routes whose forms are about the user, independent of the team. */
const ownPages = new Set(['/settings/profile', '/settings/api-token']);

/** The data of the page that refuses a form. */
export type OtherTeam = {
  /** The team that the form was opened for; null if it is not one of the person's teams. */
  opened: { id: string; name: string } | null;
  current: string;
};

/** If another user opened the form, throws the 409 page: a proxy may name another user from one request to the next. */
export function requireSamePerson(form: FormData, session: Session | null): void {
  const meant = form.get(personField);
  if (meant !== null && meant !== session?.user.id) {
    throw data({ isOfOtherPerson: true }, { status: 409 });
  }
}

/** If the form was opened for another team, throws the 409 page, which names that team. */
export function requireOwnTeam(form: FormData, page: string, { session, team }: SignedInAs): void {
  const meant = form.get(teamField);
  if (meant === team.id || ownPages.has(page)) return;
  const opened = session.teams.find(({ id }) => id === meant);
  const otherTeam: OtherTeam = {
    opened: opened ? { id: opened.id, name: opened.name } : null,
    current: team.name,
  };
  throw data({ otherTeam }, { status: 409 });
}
