/** A form acts only as the user and in the team that it was opened for. */
import { data } from 'react-router';
import type { SignedInAs } from '../context.ts';
import type { Session } from '../services.ts';

/** See forms/Form.tsx. */
export const teamField = 'for_team';
export const personField = 'for_person';

/** Forms about the user, independent of the team. */
const ownPages = new Set(['/settings/profile', '/settings/api-token']);

export type OtherTeam = {
  /** Null if it isn't one of the person's teams. */
  opened: { id: string; name: string } | null;
  current: string;
};

/** Throws the 409 page: a proxy may name another user with each request. */
export function requireSamePerson(form: FormData, session: Session | null): void {
  const meant = form.get(personField);
  if (meant !== null && meant !== session?.user.id) {
    throw data({ isOfOtherPerson: true }, { status: 409 });
  }
}

/** Throws the 409 page. */
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
