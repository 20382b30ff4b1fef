import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { ApiTokens, type TokenOwner } from './api-tokens.ts';
import { Background } from './background.ts';
import { Billing } from './billing.ts';
import { ChannelTests } from './channel-tests.ts';
import type { PeopleConfig } from './config.ts';
import { Devices } from './devices.ts';
import { EmailLinks } from './email-links.ts';
import { gather } from './gather.ts';
import { GroupMemberships } from './group-memberships.ts';
import { Invitations } from './invitations.ts';
import { AuthLibraryLoader } from './auth-library-loader.ts';
import { Limits } from './limits.ts';
import { createMailer, type Mailer } from './mail.ts';
import { Operator } from './operator.ts';
import { OwnAccount } from './own-account.ts';
import { PasswordResets } from './password-resets.ts';
import { PasswordGuesses } from './password-guesses.ts';
import { Passkeys } from './passkeys.ts';
import { Reauthentication } from './reauthentication.ts';
import { Passwords } from './passwords.ts';
import { PeopleActivity } from './people-activity.ts';
import { Plans } from './plans.ts';
import { ProviderAccounts } from './provider-accounts.ts';
import { ProviderProofs } from './provider-proofs.ts';
import { ProviderSignIns } from './provider-sign-ins.ts';
import { ProxySignIns } from './proxy-sign-ins.ts';
import { Registrations } from './registrations.ts';
import { ResetLinks } from './reset-links.ts';
import { SecondFactors } from './second-factors.ts';
import { Sessions } from './sessions.ts';
import { SignUps } from './sign-ups.ts';
import { Signing } from './signing.ts';
import { Teams } from './teams.ts';

interface PeopleDeps {
  store: Store;
  clock: Clock;
  log: Log;
  config: PeopleConfig;
  /** Made from the config unless the caller shares its own. */
  mailer?: Mailer;
}

/** Accounts, teams and tokens: who somebody is, and what they may. */
export type People = ReturnType<typeof createPeople>;

export function createPeople(deps: PeopleDeps) {
  const { common, proofs, resetLinks } = buildParts(deps);
  const { tokens, sessions, mailer, background, authLibrary, reauthentication } = common;
  const { baseUrl } = deps.config;
  const memberships = new GroupMemberships(common);
  const registrations = new Registrations({ ...common, memberships });
  const {
    registerByInvitation,
    registerByProvider: _,
    ...ownRegistrations
  } = gather(registrations);
  const accounts = new ProviderAccounts({ ...common, registrations });
  const providerSignIns = new ProviderSignIns({ ...common, accounts, memberships, proofs });
  const proxySignIns = new ProxySignIns({ ...common, accounts, memberships });
  return {
    /** For the API: finds a token's user and team (§5). One short query; does not load the auth library. */
    findTokenOwner: (token: string): Promise<TokenOwner | null> => tokens.findTokenOwner(token),
    accounts: {
      ...gather(
        sessions,
        new SecondFactors(common),
        new Passkeys(common),
        new PasswordResets({ ...common, resetLinks }),
        new OwnAccount(common),
        new SignUps(common),
        providerSignIns,
        proxySignIns,
      ),
      ...ownRegistrations,
      describeConfirmation: gather(reauthentication).describeConfirmation,
      /** True where mails are sent by SMTP; otherwise their links are in the log. */
      sendsMail: () => mailer.sends,
    },
    teams: {
      ...gather(new Teams(common), new Invitations({ ...common, baseUrl })),
      registerByInvitation,
    },
    tokens: gather(tokens),
    signing: gather(new Signing(common)),
    channelTests: gather(new ChannelTests(common)),
    billing: gather(new Billing(common)),
    /** For the command line. */
    operator: new Operator({ ...common, resetLinks }),
    /** To be called at the start. */
    warnOfUnknownTeams: () => memberships.warnOfUnknownTeams(),
    /** Loads the auth library ahead of the first request; never needed for the API or the command line. */
    warmUp: async (): Promise<void> => {
      await authLibrary.load();
    },
    /** Resolves when all mails that are sent in the background are out. */
    close: async (): Promise<void> => {
      await background.drain();
      mailer.close();
    },
  };
}

/** What the services of this room are made of, each once. */
function buildParts(deps: PeopleDeps) {
  const { store, clock, log, config } = deps;
  const { baseUrl, appKey, smtpUrl, mailFrom } = config;
  const mailer = deps.mailer ?? createMailer({ smtpUrl, from: mailFrom }, log);
  const passwords = new Passwords(config.passwordWork);
  const plans = new Plans(config);
  const limits = new Limits({ store, clock, log });
  const background = new Background(log);
  const activity = new PeopleActivity({ store, log });
  const tokens = new ApiTokens({ store, clock, background });
  const resetLinks = new ResetLinks({ store, clock, baseUrl });
  const authLibrary = new AuthLibraryLoader({ store, clock, log, passwords, baseUrl, appKey });
  const devices = new Devices({ clock, baseUrl, appKey });
  const guesses = new PasswordGuesses({ limits, devices });
  const entering = { guesses, devices, activity, config };
  const sessions = new Sessions({ store, clock, log, authLibrary, ...entering });
  const proofs = new ProviderProofs({ clock, baseUrl, appKey });
  const reauthentication = new Reauthentication({
    store,
    guesses,
    passwords,
    sessions,
    proofs,
    config,
  });
  const emailLinks = new EmailLinks({ store, clock, limits, mailer, baseUrl, appKey });
  const basics = { store, clock, log, limits, mailer, background, authLibrary, config, emailLinks };
  const doers = { sessions, devices, reauthentication, tokens, activity };
  const common = { ...basics, ...doers, passwords, plans };
  return { common, proofs, resetLinks };
}
