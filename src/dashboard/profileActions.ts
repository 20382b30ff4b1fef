/** What each form of the profile page does. */
import { data } from 'react-router';
import { describeTooMany } from './parts/tooMany.ts';
import { readText } from './parts/readForm.ts';
import type { Accounts, FieldErrors, Refused, TooMany, Visitor } from './services.ts';

/** What stays on the page: which form, what was wrong with it, and what is shown once. */
export type ProfileAnswer = {
  intent: string;
  problem?: string;
  errors?: FieldErrors;
  begun?: { otpauthUri: string; recoveryCodes: string[] };
};

type Ask = { form: FormData; intent: string; userId: string; accounts: Accounts; visitor: Visitor };
/** A change that is made is said on the next page; everything else is answered here. */
type Made = { said: string; setCookies?: readonly string[]; to?: string };
type Outcome = Made | ReturnType<typeof data<ProfileAnswer>>;

function fail(intent: string, outcome: Refused | TooMany) {
  if (outcome.kind === 'too-many') {
    return data<ProfileAnswer>({ intent, problem: describeTooMany(outcome) }, { status: 429 });
  }
  return data<ProfileAnswer>({ intent, errors: outcome.errors }, { status: 422 });
}

export const profileActions: Readonly<Record<string, (ask: Ask) => Promise<Outcome>>> = {
  async name({ form, intent, userId, accounts }) {
    const outcome = await accounts.changeName(userId, readText(form, 'name'));
    return outcome.kind === 'done' ? { said: 'The name is changed.' } : fail(intent, outcome);
  },

  async email({ form, intent, accounts, visitor }) {
    const input = { email: readText(form, 'email'), password: readText(form, 'password') };
    const outcome = await accounts.changeEmail(input, visitor);
    if (outcome.kind === 'mailed')
      return { said: 'A link to confirm the new address is on its way to it.' };
    return outcome.kind === 'done' ? { said: 'The email is changed.' } : fail(intent, outcome);
  },

  async password({ form, intent, accounts, visitor }) {
    const input = {
      currentPassword: readText(form, 'current_password'),
      password: readText(form, 'password'),
    };
    const outcome = await accounts.changePassword(input, visitor);
    if (outcome.kind === 'refused') {
      const { currentPassword, ...errors } = outcome.errors;
      return fail(intent, {
        kind: 'refused',
        errors: currentPassword ? { ...errors, current_password: currentPassword } : errors,
      });
    }
    if (outcome.kind !== 'signed-in') return fail(intent, outcome);
    return {
      said: 'The password is changed. All other sessions are ended.',
      setCookies: outcome.setCookies,
    };
  },

  async 'begin-second-factor'({ form, intent, accounts, visitor }) {
    const outcome = await accounts.beginSecondFactor(
      { password: readText(form, 'password') },
      visitor,
    );
    if (outcome.kind !== 'begun') return fail(intent, outcome);
    const { otpauthUri, recoveryCodes } = outcome;
    return data<ProfileAnswer>({ intent, begun: { otpauthUri, recoveryCodes } });
  },

  async 'confirm-second-factor'({ form, intent, accounts, visitor }) {
    const outcome = await accounts.confirmSecondFactor({ code: readText(form, 'code') }, visitor);
    if (outcome.kind !== 'signed-in') return fail(intent, outcome);
    return {
      said: 'The second factor is on. The next sign-in asks for a code.',
      setCookies: outcome.setCookies,
    };
  },

  async 'end-second-factor'({ form, intent, accounts, visitor }) {
    const outcome = await accounts.endSecondFactor(
      { password: readText(form, 'password') },
      visitor,
    );
    if (outcome.kind !== 'signed-in') return fail(intent, outcome);
    return { said: 'The second factor is off.', setCookies: outcome.setCookies };
  },

  async 'sign-out-everywhere'({ userId, accounts, visitor }) {
    const { setCookies } = await accounts.signOutEverywhere(userId, visitor);
    return { said: 'All sessions are ended.', setCookies, to: '/login' };
  },

  async delete({ form, intent, accounts, visitor }) {
    const outcome = await accounts.deleteAccount({ password: readText(form, 'password') }, visitor);
    if (outcome.kind === 'deleted')
      return { said: 'The account is deleted.', setCookies: outcome.setCookies, to: '/login' };
    if (outcome.kind !== 'owns-teams') return fail(intent, outcome);
    const names = outcome.teams.map(({ name }) => name).join(', ');
    return data<ProfileAnswer>(
      { intent, problem: `You own ${names}. Transfer or delete that first.` },
      { status: 422 },
    );
  },
};
