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
  provider: ProviderSettings | null;
  /** The proxy in front whose headers name the user; null: no such header is trusted. */
  proxySignIn: ProxySettings | null;
  /** Groups of the provider or proxy that give a role in a team. */
  groupRoles: readonly GroupRole[];
  /** How many hours after a sign-in by the provider its session ends; null: like every other session. */
  providerSessionHours: number | null;
  /** False: only the provider or proxy signs users in; passwords and passkeys are rejected. */
  passwordSignIn: boolean;
  /** Whether a setting shows that a proxy is in front. The first account then always needs the setup code. */
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
