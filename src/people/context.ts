import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { ApiTokens } from './api-tokens.ts';
import type { GroupRole } from './groups.ts';
import { Limits } from './limits.ts';
import { createMailer, type Mailer } from './mail.ts';
import { Passwords, type PasswordWork } from './passwords.ts';
import { PeopleActivity } from './people-activity.ts';
import { Plans, type PlanSettings } from './plans.ts';
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
export interface Context extends Required<PeopleDeps> {
  activity: PeopleActivity;
  background: Background;
  limits: Limits;
  passwords: Passwords;
  plans: Plans;
  provider: Provider | null;
  tokens: ApiTokens;
}

export function createContext(deps: PeopleDeps): Context {
  const { store, clock, log, config } = deps;
  const background = new Background(log);
  return {
    ...deps,
    activity: new PeopleActivity({ store, log }),
    background,
    limits: new Limits({ store, clock, log }),
    mailer: deps.mailer ?? createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom }, log),
    passwords: new Passwords(config.passwordWork),
    plans: new Plans(config),
    provider: config.provider && new Provider(config.provider, config.baseUrl, () => clock.now()),
    tokens: new ApiTokens({ store, clock, background }),
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

/** Work that no response waits for: its duration must not reveal whether an account exists. */
export class Background {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  run(faultEvent: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#log.error(faultEvent, { error }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
