import type { GroupRole } from './groups.ts';
import type { PlanSettings } from './plans.ts';
import type { PasswordWork } from './passwords.ts';
import type { ProviderSettings } from './provider.ts';
import type { ProxySettings } from './proxy-claim.ts';

export interface PeopleConfig extends PlanSettings {
  /** The public origin, without a slash at its end. Links and the scope of cookies are derived from it. */
  baseUrl: string;
  /** 32 bytes; signs cookies and encrypts second factors. */
  appKey: Uint8Array;
  signUp: 'invite' | 'open';
  /** By which people may sign in besides; null: none. */
  provider: ProviderSettings | null;
  /** The proxy in front that says who people are; null: none is believed. */
  proxySignIn: ProxySettings | null;
  /** Which group of theirs gives which role in which team. */
  groupRoles: readonly GroupRole[];
  /** How many hours after a sign-in by the provider its session ends; null: as every other. */
  providerSessionHours: number | null;
  /** False: the provider or the proxy is the only way in; passwords and passkeys open nothing. */
  passwordSignIn: boolean;
  /** Whether a setting says that a proxy stands in front. The first account then always needs the setup code. */
  isBehindProxy: boolean;
  /** Teams that one user may own. */
  maxTeamsPerUser: number;
  /** Days after sign-in until a session ends, however much it is used. */
  sessionMaxDays: number;
  /** Null: mails are written to the log. */
  smtpUrl: string | null;
  mailFrom: string;
  /** The cost of one password guess; `FULL_WORK` unless a test sets less. */
  passwordWork?: PasswordWork;
}
