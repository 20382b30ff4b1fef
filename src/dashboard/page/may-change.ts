/** Hides actions that a role does not allow (§5.8). The services reject them in any case. */
import { useShell } from './shell.ts';
import { parsePath, useLocation, type To } from 'react-router';
import { may, type Permission } from '#people/roles';

/** Addresses that concern only the person, or that need a permission of their own, by their first part. */
const elsewhere = /^\/(?:settings|teams|theme|logout|login|invitations)(?:[/?#]|$)/;
const forms = /\/(?:new|edit)$/;

/** Whether an address is a form that changes the team's work. @param path  with or without a query */
export function isForm(path: string): boolean {
  return !elsewhere.test(path) && forms.test(path.split(/[?#]/)[0] ?? '');
}

/** Whether the person may change the team's work: crons, queues, jobs and the rest. */
export function useMayWork(): boolean {
  return useMay('work');
}

/** Whether the user may mute the whole team, and switch off all notifications of a queue's failures. */
export function useMayNotify(): boolean {
  return useMay('notifications');
}

function useMay(permission: Permission): boolean {
  const role = useShell()?.team.role;
  return role === undefined || may(role, permission);
}

/** Whether a form may be sent to that address, this page's own if none is given. */
export function useMaySend(to?: string): boolean {
  const { pathname } = useLocation();
  return useMayWork() || elsewhere.test(to ?? pathname);
}

/** Whether the person may open a link: viewers may not open forms that change the team's work. */
export function useMayOpen(to: To): boolean {
  const path = typeof to === 'string' ? (parsePath(to).pathname ?? '') : (to.pathname ?? '');
  return useMayWork() || !isForm(path);
}
