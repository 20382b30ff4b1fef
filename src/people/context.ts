import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import type { Store } from '#store/store';
import { createApiTokens } from './api-tokens.ts';
import type { GroupRole } from './groups.ts';
import { createLimits } from './limits.ts';
import { createMailer, type Mailer } from './mail.ts';
import { Passwords, type PasswordWork } from './passwords.ts';
import { createPeopleActivity } from './people-activity.ts';
import { createPlans, type PlanSettings } from './plans.ts';
import { Provider, type ProviderSettings } from './provider.ts';
import type { ProxyClaim, ProxySettings } from './proxy-claim.ts';

export interface PeopleDeps {
  store: Store;
  clock: Clock;
  log: Log;
  config: PeopleConfig;
  mailer?: Mailer;
}

/** Each function of this module takes it as its first argument. */
export type Context = ReturnType<typeof createContext>;

export function createContext(deps: PeopleDeps) {
  const { store, clock, log, config } = deps;
  const { smtpUrl, mailFrom: from, provider, baseUrl } = config;
  const background = createBackground(log);
  return {
    ...deps,
    activity: createPeopleActivity(store, log),
    background,
    limits: createLimits(store, clock, log),
    mailer: deps.mailer ?? createMailer({ smtpUrl, from }, log),
    passwords: new Passwords(config.passwordWork),
    plans: createPlans(config),
    provider: provider && new Provider(provider, baseUrl, () => clock.now()),
    tokens: createApiTokens(store, clock, background),
  };
}

export interface PeopleConfig extends PlanSettings {
  /** Without a slash at its end. */
  baseUrl: string;
  /** 32 bytes; signs cookies and encrypts second factors. */
  appKey: Uint8Array;
  signUp: 'invite' | 'open';
  provider: ProviderSettings | null;
  /** Null: no such header is trusted. */
  proxySignIn: ProxySettings | null;
  groupRoles: readonly GroupRole[];
  /** Hours after a sign-in by the provider; null: as for other sessions. */
  providerSessionHours: number | null;
  passwordSignIn: boolean;
  /** If a proxy is in front, the first account always needs the setup code. */
  isBehindProxy: boolean;
  maxTeamsPerUser: number;
  /** Days after sign-in, however much the session is used. */
  sessionMaxDays: number;
  /** Null: mails are logged. */
  smtpUrl: string | null;
  mailFrom: string;
  passwordWork?: PasswordWork;
}

export interface RequestContext {
  headers: Headers;
  /** By §8.1, never from a header that the client could write. */
  clientAddress: string;
  /** If it names a user, the session cookie is ignored. */
  claim?: ProxyClaim | null;
}

export type Background = ReturnType<typeof createBackground>;

/** Work that no response waits for: its duration must not reveal whether an account exists. */
function createBackground(log: Log) {
  const all = new Set<Promise<void>>();
  return {
    run: (faultEvent: string, work: () => Promise<void>) => {
      const running = work()
        .catch((error: unknown) => log.error(faultEvent, { error }))
        .finally(() => all.delete(running));
      all.add(running);
    },
    drain: async () => {
      while (all.size > 0) await Promise.all(all);
    },
  };
}
