import { type Context, redirectWithCookies } from '../context.ts';
import { readText } from '../forms/values.ts';
import { openPublic } from '../serving/open.ts';
import type { Refused, SignedIn, TooMany } from '../services.ts';

/** The form of a new account with a team of its own. */
export function readAccountForm(form: FormData) {
  return {
    name: readText(form, 'name'),
    email: readText(form, 'email'),
    team: readText(form, 'team'),
    code: readText(form, 'code'),
    password: readText(form, 'password'),
  };
}

/** The response to that form. A closed registration is handled by each page itself. */
export function answerAccountForm(outcome: SignedIn | Refused | TooMany, context: Context) {
  const { refuse, tooMany } = openPublic(context);
  if (outcome.kind === 'signed-in') return redirectWithCookies('/', outcome.setCookies);
  return outcome.kind === 'too-many' ? tooMany(outcome) : refuse(outcome.errors);
}
