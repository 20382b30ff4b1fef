/** What is shown to a viewer: the pages without what changes something (§5.8). Refusing it is the services' part. */
import { parsePath, useLocation, useRouteLoaderData, type To } from 'react-router';
import { may } from '#people/roles';
import type { loader as signedInLoader } from '../routes/signed-in.tsx';

/** The first part of addresses that are about the person, or that ask for a permission of their own. */
const elsewhere = /^\/(?:settings|teams|theme|logout|login|invitations)(?:[/?#]|$)/;
const forms = /\/(?:new|edit)$/;

/** Whether an address is one where the team's work is changed. @param path  with or without a query */
export function isForm(path: string): boolean {
  return !elsewhere.test(path) && forms.test(path.split(/[?#]/)[0] ?? '');
}

/** Whether who is signed in may change crons, queues, jobs and what else is the team's work. */
export function useMayWork(): boolean {
  const role = useRouteLoaderData<typeof signedInLoader>('routes/signed-in')?.team.role;
  return role === undefined || may(role, 'work');
}

/** Whether a form may be sent to that address, this page's own if none is given. */
export function useMaySend(to?: string): boolean {
  const { pathname } = useLocation();
  return useMayWork() || elsewhere.test(to ?? pathname);
}

/** Whether a link is of use: one to a form of the team's work is not to a viewer. */
export function useMayOpen(to: To): boolean {
  const path = typeof to === 'string' ? (parsePath(to).pathname ?? '') : (to.pathname ?? '');
  return useMayWork() || !isForm(path);
}
