import { isEmail, normalizeEmail } from '#domain/team/email-address';
import { isUuid } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import { isLongerThan } from '#domain/base/text-length';
import type { FieldErrors, Refused } from './outcomes.ts';

const LONGEST_NAME = LIMITS.personNameCharacters;
const { least: SHORTEST_PASSWORD, most: LONGEST_PASSWORD } = LIMITS.passwordCharacters;

export function normalizeName(name: string): string {
  return name.trim().replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

export function checkEmail(email: string): string[] {
  const address = normalizeEmail(email);
  if (address === '') return ['Enter an email address.'];
  return isEmail(address) ? [] : ['Enter a valid email address.'];
}

export function checkPassword(password: string): string[] {
  if (password === '') return ['Enter a password.'];
  if (!isLongerThan(password, SHORTEST_PASSWORD - 1))
    return [`Use at least ${SHORTEST_PASSWORD} characters.`];
  return isLongerThan(password, LONGEST_PASSWORD)
    ? [`Use at most ${LONGEST_PASSWORD} characters.`]
    : [];
}

/** @param label follows “Enter”, such as `a team name` */
export function checkName(name: string, label: string): string[] {
  const kept = normalizeName(name);
  if (kept === '') return [`Enter ${label}.`];
  return isLongerThan(kept, LONGEST_NAME) ? [`Use at most ${LONGEST_NAME} characters.`] : [];
}

/** A name that looks like an id would be confused with one in commands. */
export function checkTeamName(name: string): string[] {
  return isUuid(normalizeName(name))
    ? ['Choose a name that does not look like an id.']
    : checkName(name, 'a team name');
}

/** Null if there are no errors. */
export function gatherErrors(checks: FieldErrors): Refused | null {
  const wrong = Object.entries(checks).filter(([, messages]) => messages.length > 0);
  return wrong.length > 0 ? { kind: 'refused', errors: Object.fromEntries(wrong) } : null;
}
