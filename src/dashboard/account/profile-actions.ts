/** What each form of the profile page does. */
import { data } from 'react-router';
import { requestFacts, type Context } from '../context.ts';
import { openPublic } from '../serving/open.ts';
import { readChecked, readText } from '../forms/read-form.ts';
import { writeSlashKey } from '../serving/cookies.ts';
import type { Accounts, FieldErrors, Refused, TooMany, RequestContext } from '../services.ts';

/** A second factor that is being set up: the key, as authenticators take it, and the recovery codes. */
export type SecondFactorSetUp = { otpauthUri: string; recoveryCodes: string[] };

/** The response that stays on the page: which form was sent, what was wrong with it, and what is shown once. */
export type ProfileAnswer = {
  intent: string;
  problem?: string;
  errors?: FieldErrors;
  begun?: SecondFactorSetUp;
  renewedCodes?: string[];
  /** What to ask the authenticator for a new passkey, and the name of that passkey. */
  asked?: { options: string; name: string };
};

type Ask = {
  form: FormData;
  intent: string;
  userId: string;
  accounts: Accounts;
  requestContext: RequestContext;
  context: Context;
};
/** A change that was made. The next page reports it; all other outcomes are answered on this page. */
type Made = { said: string; setCookies?: readonly string[]; to?: string };
type Outcome = Made | ReturnType<typeof data<ProfileAnswer>>;

/** @param kept  what stays shown although the form was refused */
function fail(
  { intent, context }: Pick<Ask, 'intent' | 'context'>,
  outcome: Refused | TooMany,
  kept: Pick<ProfileAnswer, 'begun'> = {},
) {
  if (outcome.kind === 'too-many') {
    return openPublic(context).tooMany(outcome, { intent, ...kept });
  }
  return data<ProfileAnswer>({ intent, errors: outcome.errors, ...kept }, { status: 422 });
}

/**
 * Reads back the key and the codes that the form carried along. Values that this page cannot have written are
 * dropped.
 */
function readCarriedOn(form: FormData): Pick<ProfileAnswer, 'begun'> {
  const otpauthUri = readText(form, 'otpauth_uri');
  const recoveryCodes = readText(form, 'recovery_codes').split(' ');
  const isOurs = /^otpauth:\/\/totp\/[!-~]{1,1000}$/.test(otpauthUri);
  const areOurs =
    recoveryCodes.length <= 50 && recoveryCodes.every((code) => /^[\w-]{4,40}$/.test(code));
  return isOurs && areOurs ? { begun: { otpauthUri, recoveryCodes } } : {};
}

export const profileActions: Readonly<Record<string, (ask: Ask) => Promise<Outcome>>> = {
  async name({ form, intent, userId, accounts, context }) {
    const outcome = await accounts.changeName(userId, readText(form, 'name'));
    return outcome.kind === 'done'
      ? { said: 'The name is changed.' }
      : fail({ intent, context }, outcome);
  },

  async 'confirm-email'({ intent, userId, accounts, context }) {
    const outcome = await accounts.requestEmailConfirmation(userId);
    if (outcome.kind !== 'done') return fail({ intent, context }, outcome);
    return { said: 'The link is on its way to your address.' };
  },

  async email({ form, intent, accounts, requestContext, context }) {
    const input = { email: readText(form, 'email'), password: readText(form, 'password') };
    const outcome = await accounts.changeEmail(input, requestContext);
    if (outcome.kind === 'mailed')
      return {
        said: 'A link to confirm the new address is on its way to it, and a link that stops the change to the old one.',
      };
    return outcome.kind === 'done'
      ? { said: 'The email is changed.' }
      : fail({ intent, context }, outcome);
  },

  async password({ form, intent, accounts, requestContext, context }) {
    const input = {
      currentPassword: readText(form, 'current_password'),
      password: readText(form, 'password'),
    };
    const outcome = await accounts.changePassword(input, requestContext);
    if (outcome.kind === 'refused') {
      const { currentPassword, ...errors } = outcome.errors;
      return fail(
        { intent, context },
        {
          kind: 'refused',
          errors: currentPassword ? { ...errors, current_password: currentPassword } : errors,
        },
      );
    }
    if (outcome.kind !== 'signed-in') return fail({ intent, context }, outcome);
    return {
      said: 'The password is changed. All other sessions are ended.',
      setCookies: outcome.setCookies,
    };
  },

  async 'begin-second-factor'({ form, intent, accounts, requestContext, context }) {
    const outcome = await accounts.beginSecondFactor(
      { password: readText(form, 'password') },
      requestContext,
    );
    if (outcome.kind !== 'begun') return fail({ intent, context }, outcome);
    const { otpauthUri, recoveryCodes } = outcome;
    return data<ProfileAnswer>({ intent, begun: { otpauthUri, recoveryCodes } });
  },

  async 'confirm-second-factor'({ form, intent, accounts, requestContext, context }) {
    const outcome = await accounts.confirmSecondFactor(
      { code: readText(form, 'code') },
      requestContext,
    );
    if (outcome.kind !== 'signed-in')
      return fail({ intent, context }, outcome, readCarriedOn(form));
    return {
      said: 'The second factor is on. The next sign-in asks for a code.',
      setCookies: outcome.setCookies,
    };
  },

  async 'renew-recovery-codes'({ form, intent, accounts, requestContext, context }) {
    const outcome = await accounts.renewRecoveryCodes(
      { password: readText(form, 'password') },
      requestContext,
    );
    if (outcome.kind !== 'renewed') return fail({ intent, context }, outcome);
    return data<ProfileAnswer>({ intent, renewedCodes: outcome.recoveryCodes });
  },

  async 'end-second-factor'({ form, intent, accounts, requestContext, context }) {
    const outcome = await accounts.endSecondFactor(
      { password: readText(form, 'password') },
      requestContext,
    );
    if (outcome.kind !== 'signed-in') return fail({ intent, context }, outcome);
    return { said: 'The second factor is off.', setCookies: outcome.setCookies };
  },

  async 'begin-passkey'({ form, intent, accounts, requestContext, context }) {
    const outcome = await accounts.beginPasskey(
      { password: readText(form, 'password') },
      requestContext,
    );
    if (outcome.kind !== 'asked') return fail({ intent, context }, outcome);
    const headers = outcome.setCookies.map((value): [string, string] => ['Set-Cookie', value]);
    const asked = { options: outcome.options, name: readText(form, 'name') };
    return data<ProfileAnswer>({ intent, asked }, { headers });
  },

  async 'add-passkey'({ form, intent, accounts, requestContext, context }) {
    const input = { name: readText(form, 'name'), answer: readText(form, 'answer') };
    const outcome = await accounts.addPasskey(input, requestContext);
    if (outcome.kind === 'done')
      return { said: 'The passkey is added. It signs you in by itself.' };
    if (outcome.kind === 'too-many') return fail({ intent, context }, outcome);
    const problem = Object.values(outcome.errors).flat().join(' ');
    return data<ProfileAnswer>({ intent, problem }, { status: 422 });
  },

  async 'delete-passkey'({ form, intent, accounts, requestContext }) {
    const outcome = await accounts.deletePasskey(readText(form, 'passkey'), requestContext);
    if (outcome.kind === 'done') return { said: 'The passkey is deleted.' };
    return data<ProfileAnswer>({ intent, problem: 'This passkey is gone.' }, { status: 422 });
  },

  async keys({ form, context }) {
    const isOn = readChecked(form, 'slash_key');
    const { baseUrl } = context.get(requestFacts);
    return {
      said: `The / key is ${isOn ? 'on' : 'off'} in this browser.`,
      setCookies: [writeSlashKey(isOn, baseUrl)],
    };
  },

  async 'sign-out-everywhere'({ form, userId, accounts, requestContext }) {
    const revokesToken = readChecked(form, 'revoke_token');
    const { setCookies } = await accounts.signOutEverywhere(
      { userId, revokesToken },
      requestContext,
    );
    return { said: 'All sessions are ended.', setCookies, to: '/login' };
  },

  async 'leave-provider'({ form, intent, accounts, requestContext, context }) {
    const password = readText(form, 'password');
    const outcome = await accounts.leaveProvider({ password }, requestContext);
    if (outcome.kind !== 'done') return fail({ intent, context }, outcome);
    return { said: 'The account is parted from the provider.' };
  },

  async delete({ form, intent, accounts, requestContext, context }) {
    const outcome = await accounts.deleteAccount(
      { password: readText(form, 'password') },
      requestContext,
    );
    if (outcome.kind === 'deleted')
      return { said: 'The account is deleted.', setCookies: outcome.setCookies, to: '/login' };
    if (outcome.kind !== 'owns-teams') return fail({ intent, context }, outcome);
    const names = outcome.teams.map(({ name }) => name).join(', ');
    return data<ProfileAnswer>(
      { intent, problem: `You own ${names}. Transfer or delete that first.` },
      { status: 422 },
    );
  },
};
