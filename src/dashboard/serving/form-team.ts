/**
 * Ensures that a form changes only the team that it was opened for, even if another team has become the current one.
 */
import { data } from 'react-router';
import type { SignedInAs } from '../context.ts';

/** The field that every form carries (see forms/Form.tsx). */
export const teamField = 'for_team';

/** Patterns of routes whose forms are about the person alone, whatever the team. */
const ownPages = new Set(['/settings/profile', '/settings/api-token']);

/** The data of the page that refuses a form. */
export type OtherTeam = {
  /** The team that the form was opened for; null if it is not one of the person's teams. */
  opened: { id: string; name: string } | null;
  current: string;
};

/** If the form was opened for another team, throws the 409 page, which says for which one. */
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
