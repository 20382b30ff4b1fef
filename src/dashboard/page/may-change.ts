/** The services reject them in any case (§5.8). */
import { useShell } from './shell.ts';
import { parsePath, useLocation, type To } from 'react-router';
import { may, type Permission } from '#people/roles';

/** They concern only the person, or need their own permission. */
const elsewhere = /^\/(?:settings|teams|theme|logout|login|invitations)(?:[/?#]|$)/;
const forms = /\/(?:new|edit)$/;

/** @param path with or without a query */
export function isForm(path: string): boolean {
  return !elsewhere.test(path) && forms.test(path.split(/[?#]/)[0] ?? '');
}

export function useMayWork(): boolean {
  return useMay('work');
}

/** And switch off all notifications of a queue's failures. */
export function useMayNotify(): boolean {
  return useMay('notifications');
}

function useMay(permission: Permission): boolean {
  const role = useShell()?.team.role;
  return role === undefined || may(role, permission);
}

export function useMaySend(to?: string): boolean {
  const { pathname } = useLocation();
  return useMayWork() || elsewhere.test(to ?? pathname);
}

export function useMayOpen(to: To): boolean {
  const path = typeof to === 'string' ? (parsePath(to).pathname ?? '') : (to.pathname ?? '');
  return useMayWork() || !isForm(path);
}
