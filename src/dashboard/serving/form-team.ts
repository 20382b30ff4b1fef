/** For which team a form was opened: it is not taken for another one, whatever has been chosen in between. */
import { data } from 'react-router';
import type { SignedInAs } from '../context.ts';

/** The field that every form carries (see forms/Form.tsx). */
export const teamField = 'for_team';

/** Patterns of routes whose forms are about the person alone, whatever the team. */
const ownPages = new Set(['/settings/profile', '/settings/api-token']);

/** What the page that refuses a form is told. */
export type OtherTeam = {
  /** The team it was opened for; null where that is none of the person's. */
  opened: { id: string; name: string } | null;
  current: string;
};

/** Throws what becomes the page that says for which team the form was opened: 409. */
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
