import { bind } from '#store/database/context';
import {
  askNewAddresses,
  confirmAddress,
  createStopUrls,
  readConfirmation,
  readStop,
  resend as resendConfirmationLink,
  resendConfirmation,
  stopAddress,
} from './channel-addresses.ts';
import { beginChannelTest } from './channel-tests.ts';
import { createContext, type PeopleDeps } from './context.ts';
import { warnOfUnknownTeams } from './group-memberships.ts';
import * as invitations from './invitations.ts';
import * as operator from './operator.ts';
import * as ownAccount from './own-account.ts';
import * as passkeys from './passkeys.ts';
import { readUsage } from './plans.ts';
import * as passwordResets from './password-resets.ts';
import * as providerSignIns from './provider-sign-ins.ts';
import * as proxySignIns from './proxy-sign-ins.ts';
import { describeConfirmation } from './reauthentication.ts';
import {
  asksSetupCode,
  createFirstAccount,
  findFirstAccount,
  finishSignUp,
  isSetUp,
  mayRegister,
  register,
  registerByInvitation,
} from './registrations.ts';
import * as secondFactors from './second-factors.ts';
import { readSession, signIn, signOut, signOutEverywhere, whoIs } from './sessions.ts';
import * as signUps from './sign-ups.ts';
import { serviceAccounts, serviceAccountsOfAnyTeam } from './service-accounts.ts';
import * as signing from './signing.ts';
import * as teams from './teams.ts';

export type People = ReturnType<typeof createPeople>;

export function createPeople(deps: PeopleDeps) {
  const context = createContext(deps);
  const { tokens, mailer, background, plans } = context;
  return {
    findTokenOwner: tokens.findTokenOwner,
    accounts: {
      ...bind(context, { readSession, signIn, signOut, signOutEverywhere, whoIs }),
      ...bind(context, secondFactors),
      ...bind(context, passkeys),
      ...bind(context, passwordResets),
      ...bind(context, ownAccount),
      ...bind(context, signUps),
      ...bind(context, providerSignIns),
      ...bind(context, proxySignIns),
      ...bind(context, { isSetUp, asksSetupCode, findFirstAccount, mayRegister }),
      ...bind(context, { createFirstAccount, register, finishSignUp }),
      ...bind(context, { describeConfirmation }),
      sendsMail: () => mailer.sends,
    },
    teams: {
      ...bind(context, teams),
      ...bind(context, invitations),
      ...bind(context, { registerByInvitation }),
    },
    tokens,
    plans,
    signing: bind(context, signing),
    serviceAccounts: bind(context, serviceAccounts),
    channelAddresses: {
      ...bind(context, { askNewAddresses, resendConfirmation, readConfirmation, confirmAddress }),
      ...bind(context, { readStop, stopAddress }),
    },
    mailer,
    stopUrlOf: createStopUrls(deps.config),
    channelTests: bind(context, { beginChannelTest }),
    billing: bind(context, { readUsage }),
    operator: bind(context, {
      ...operator,
      ...serviceAccountsOfAnyTeam,
      resendConfirmationLink,
    }),
    warnOfUnknownTeams: () => warnOfUnknownTeams(context),
    /** Waits for mails in the background. */
    close: async (): Promise<void> => {
      await background.drain();
      mailer.close();
    },
  };
}
