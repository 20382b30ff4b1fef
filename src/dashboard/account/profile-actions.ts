import { data } from 'react-router';
import { headersOf, type Context } from '../context.ts';
import { readChecked, readText } from '../forms/values.ts';
import { slashKey } from '../serving/cookies.ts';
import { actOn, open } from '../serving/open.ts';

/** The key for an authenticator, and the recovery codes. */
export type SecondFactorSetUp = { otpauthUri: string; recoveryCodes: string[] };

export type ProfileAnswer = {
  begun: SecondFactorSetUp;
  renewedCodes: string[];
  asked: { options: string; name: string };
};

type NextPage = { setCookies?: readonly string[]; to?: string };

function openProfile(context: Context) {
  const opened = open(context);
  return Object.assign(opened, {
    userId: opened.user.id,
    password: opened.field('password'),
    done: (text: string, { to = '/settings/profile', setCookies }: NextPage = {}) =>
      opened.say(to, text, setCookies),
  });
}

export function actOnProfile(context: Context) {
  const opened = openProfile(context);
  return actOn(opened.intent, profileActions, opened);
}

/** Drops values that this page can't have written. */
function readCarriedOn(form: FormData): Partial<ProfileAnswer> {
  const otpauthUri = readText(form, 'otpauth_uri');
  const recoveryCodes = readText(form, 'recovery_codes').split(' ');
  const isOurs = /^otpauth:\/\/totp\/[!-~]{1,1000}$/.test(otpauthUri);
  const areOurs =
    recoveryCodes.length <= 50 && recoveryCodes.every((code) => /^[\w-]{4,40}$/.test(code));
  return isOurs && areOurs ? { begun: { otpauthUri, recoveryCodes } } : {};
}

type Act = (opened: ReturnType<typeof openProfile>) => Promise<unknown>;

const profileActions: Readonly<Record<string, Act>> = {
  async name({ field, userId, accounts, reject, done }) {
    const outcome = await accounts.changeName(userId, field('name'));
    return outcome.kind === 'done' ? done('The name is changed.') : reject(outcome);
  },

  async 'confirm-email'({ userId, accounts, reject, done }) {
    const outcome = await accounts.requestEmailConfirmation(userId);
    if (outcome.kind !== 'done') return reject(outcome);
    return done('The link is on its way to your address.');
  },

  async email({ fields, accounts, requestContext, reject, done }) {
    const input = fields('email', 'password');
    const outcome = await accounts.changeEmail(input, requestContext);
    if (outcome.kind === 'mailed')
      return done(
        'Open the link in the mail to the new address to confirm it. The mail to the old address has a link that stops the change.',
      );
    return outcome.kind === 'done' ? done('The email is changed.') : reject(outcome);
  },

  async password({ field, accounts, requestContext, refuse, reject, done }) {
    const input = {
      currentPassword: field('current_password'),
      password: field('password'),
    };
    const outcome = await accounts.changePassword(input, requestContext);
    if (outcome.kind === 'refused') {
      const { currentPassword, ...errors } = outcome.errors;
      return refuse(currentPassword ? { ...errors, current_password: currentPassword } : errors);
    }
    if (outcome.kind !== 'signed-in') return reject(outcome);
    return done('The password is changed. All other sessions are ended.', outcome);
  },

  async 'begin-second-factor'({ password, accounts, requestContext, show, reject }) {
    const outcome = await accounts.beginSecondFactor({ password }, requestContext);
    if (outcome.kind !== 'begun') return reject(outcome);
    const { otpauthUri, recoveryCodes } = outcome;
    return show({ begun: { otpauthUri, recoveryCodes } });
  },

  async 'confirm-second-factor'({ fields, form, accounts, requestContext, reject, done }) {
    const outcome = await accounts.confirmSecondFactor(fields('code'), requestContext);
    if (outcome.kind !== 'signed-in') return reject(outcome, readCarriedOn(form));
    return done('The second factor is on. You need a code at the next sign-in.', outcome);
  },

  async 'renew-recovery-codes'({ password, accounts, requestContext, show, reject }) {
    const outcome = await accounts.renewRecoveryCodes({ password }, requestContext);
    if (outcome.kind !== 'renewed') return reject(outcome);
    return show({ renewedCodes: outcome.recoveryCodes });
  },

  async 'end-second-factor'({ password, accounts, requestContext, reject, done }) {
    const outcome = await accounts.endSecondFactor({ password }, requestContext);
    if (outcome.kind !== 'signed-in') return reject(outcome);
    return done('The second factor is off.', outcome);
  },

  async 'begin-passkey'({ fields, intent, password, accounts, requestContext, reject }) {
    const outcome = await accounts.beginPasskey({ password }, requestContext);
    if (outcome.kind !== 'asked') return reject(outcome);
    const asked = { options: outcome.options, ...fields('name') };
    return data({ intent, asked }, { headers: headersOf(outcome.setCookies) });
  },

  async 'add-passkey'({ fields, accounts, requestContext, fail, reject, done }) {
    const input = fields('name', 'answer');
    const outcome = await accounts.addPasskey(input, requestContext);
    if (outcome.kind === 'done')
      return done('The passkey is added. You can sign in with it alone.');
    if (outcome.kind === 'too-many') return reject(outcome);
    return fail(Object.values(outcome.errors).flat().join(' '));
  },

  async 'delete-passkey'({ field, accounts, requestContext, fail, done }) {
    const outcome = await accounts.deletePasskey(field('passkey'), requestContext);
    if (outcome.kind === 'done') return done('The passkey is deleted.');
    return fail('This passkey is gone.');
  },

  async keys({ form, baseUrl, done }) {
    const state = readChecked(form, 'slash_key') ? 'on' : 'off';
    const setCookies = [slashKey.write(state, baseUrl)];
    return done(`The / key is ${state} in this browser.`, { setCookies });
  },

  async 'sign-out-everywhere'({ form, userId, accounts, requestContext, done }) {
    const revokesToken = readChecked(form, 'revoke_token');
    const { setCookies } = await accounts.signOutEverywhere(
      { userId, revokesToken },
      requestContext,
    );
    return done('All sessions are ended.', { setCookies, to: '/login' });
  },

  async 'leave-provider'({ password, accounts, requestContext, reject, done }) {
    const outcome = await accounts.leaveProvider({ password }, requestContext);
    if (outcome.kind !== 'done') return reject(outcome);
    return done('The account is unlinked from the provider.');
  },

  async delete({ password, accounts, requestContext, fail, reject, done }) {
    const outcome = await accounts.deleteAccount({ password }, requestContext);
    if (outcome.kind === 'deleted')
      return done('The account is deleted.', { ...outcome, to: '/login' });
    if (outcome.kind !== 'owns-teams') return reject(outcome);
    const names = outcome.teams.map(({ name }) => name).join(', ');
    return fail(`You own ${names}. Transfer or delete that first.`);
  },
};
