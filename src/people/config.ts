import type { GroupRole } from './groups.ts';
import type { PlanSettings } from './plans.ts';
import type { PasswordWork } from './passwords.ts';
import type { ProviderSettings } from './provider.ts';
import type { ProxySettings } from './proxy-claim.ts';

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
