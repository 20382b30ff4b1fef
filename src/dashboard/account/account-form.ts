import { data } from 'react-router';
import { type Context, redirectWithCookies } from '../context.ts';
import { openPublic } from '../serving/open.ts';
import { readText } from '../forms/read-form.ts';
import type { Refused, SignedIn, TooMany } from '../services.ts';

/** The form of a new account with a team of its own: what may be shown again, and the password. */
export function readAccountForm(form: FormData) {
  const values = {
    name: readText(form, 'name'),
    email: readText(form, 'email'),
    team: readText(form, 'team'),
    code: readText(form, 'code'),
  };
  return { values, input: { ...values, password: readText(form, 'password') } };
}

/** The response to that form. A closed registration is handled by each page itself. */
export function answerAccountForm(
  outcome: SignedIn | Refused | TooMany,
  values: ReturnType<typeof readAccountForm>['values'],
  context: Context,
) {
  if (outcome.kind === 'signed-in') return redirectWithCookies('/', outcome.setCookies);
  if (outcome.kind === 'too-many')
    return openPublic(context).tooMany(outcome, { errors: {}, values });
  return data({ problem: undefined, errors: outcome.errors, values }, { status: 422 });
}
