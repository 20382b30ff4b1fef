import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Store } from '#store/store';
import { ApiTokens } from './api-tokens.ts';
import { Background } from './background.ts';
import type { PeopleConfig } from './config.ts';
import { Limits } from './limits.ts';
import { createMailer, type Mailer } from './mail.ts';
import { Passwords } from './passwords.ts';
import { PeopleActivity } from './people-activity.ts';
import { Plans } from './plans.ts';
import { Provider } from './provider.ts';

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
