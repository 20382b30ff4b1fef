/**
 * What the dashboard asks of the rooms behind it.
 *
 * Routes get these through the request's context and never import an implementation: `people` and
 * `work` fit these shapes, and so do the fakes that the look of a page is worked on with. Plain data
 * in, plain data out; instants are milliseconds since 1970 UTC; an expected outcome is a value with a
 * `kind`. Roles are checked by the dashboard before a call (see `requireRole`), but every call that
 * names something of a team takes the `Actor`, and must answer as if what another team owns did not
 * exist (`null`, `false` or `{ kind: 'not-found' }`).
 */

import type { ChannelConfig } from '#domain/notification-channel';
import type { IsSecretHeader } from '#domain/secret-headers';
import type { AlertWork } from '#work/alerts';
import type { ChannelWork } from '#work/channels';
import type { CronPages } from '#work/cron-contract';
import type { CronWork } from '#work/crons';
import type { JobPages } from '#work/job-contract';
import type { JobWork } from '#work/jobs';
import type { QueueWork } from '#work/queues';
import type { RunPages } from '#work/run-contract';
import type { WindowWork } from '#work/windows';

/** What the pages of crons, queues, jobs, runs and the overview ask and show. */
export type * from '#work/cron-contract';
export type * from '#work/job-contract';
export type * from '#work/run-contract';

/** What the pages of alerts, maintenance windows and the notification channel ask and show. */
export type { ChannelConfig } from '#domain/notification-channel';
export type { Alert, AlertFilter, StoredAlert } from '#work/alerts';
export type { ChannelView } from '#work/channels';
export type { MaintenanceWindowView, NamedSource, WindowOutcome } from '#work/windows';

export type Role = 'owner' | 'admin' | 'member';

/** Who acts, in which team: read anew from the database for each request, so a role change holds at once. */
export type Actor = { userId: string; teamId: string; role: Role };

/** Where a request to sign in, reset … comes from: its cookies and the address that limits count by. */
export type Visitor = { headers: Headers; clientAddress: string };

/** Field name → what is wrong with it, in sentences for the person who typed it. */
export type FieldErrors = Record<string, string[]>;

export type Refused = { kind: 'refused'; errors: FieldErrors };
/** `isBusy`: not the asker but the service had too much to do. */
export type TooMany = { kind: 'too-many'; retryAfterSeconds: number; isBusy?: true };
export type NotFound = { kind: 'not-found' };
export type Done = { kind: 'done' };

/** `setCookies` are whole `Set-Cookie` values, to be sent with the answer. */
export type SignedIn = { kind: 'signed-in'; setCookies: string[] };

export type TeamOfUser = { id: string; name: string; role: Role };

export type Session = {
  id: string;
  user: {
    id: string;
    name: string;
    email: string;
    isEmailVerified: boolean;
    hasSecondFactor: boolean;
  };
  /** The user's current team (§5.2), null where it was deleted and none was chosen since. */
  team: TeamOfUser | null;
  /** Every team of the user, by name. */
  teams: TeamOfUser[];
  /** Cookies to renew with this answer; mostly empty. */
  setCookies: string[];
};

export interface Accounts {
  /** True once any account exists: `/setup` is closed from then on. */
  isSetUp(): Promise<boolean>;
  /** `SIGN_UP=open`: people may register without an invitation. */
  mayRegister(): boolean;
  /** True where mails really leave by SMTP; otherwise links are in the log. */
  sendsMail(): boolean;
  readSession(headers: Headers): Promise<Session | null>;

  /** Whether the first account takes the code that the log and the command line show. */
  asksSetupCode(): boolean;
  /** Makes the first account, its team and the session. */
  createFirstAccount(
    input: { name: string; email: string; password: string; team: string; code?: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany | { kind: 'closed' }>;
  /** True where the address is confirmed before there is an account: mails can be sent. */
  confirmsFirst(): boolean;
  /** Mails the link to sign up with; answers the same whether or not the address has an account. */
  requestSignUp(
    input: { email: string },
    visitor: Visitor,
  ): Promise<Done | Refused | TooMany | { kind: 'closed' }>;
  /** The address that such a link proves; null where it was used or is too old. */
  readSignUp(token: string): Promise<string | null>;
  /** Makes the account of that address, with a team of one's own. */
  finishSignUp(
    token: string,
    input: { name: string; password: string; team: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany | { kind: 'closed' }>;
  /** Registers without an invitation and without a link, where no mail can be sent. */
  register(
    input: { name: string; email: string; password: string; team: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany | { kind: 'closed' }>;

  /** A wrong email and a wrong password look the same and take the same time. */
  signIn(
    input: { email: string; password: string },
    visitor: Visitor,
  ): Promise<
    SignedIn | { kind: 'second-factor'; setCookies: string[] } | { kind: 'wrong' } | TooMany
  >;
  /** The second step: six digits of the authenticator, or one of the recovery codes. */
  verifySecondFactor(
    input: { code: string },
    visitor: Visitor,
  ): Promise<SignedIn | { kind: 'wrong' } | { kind: 'expired' } | TooMany>;
  signOut(visitor: Visitor): Promise<{ setCookies: string[] }>;
  /** Ends every session of the user, this one included, and drops every open proof of theirs. */
  signOutEverywhere(
    what: { userId: string; revokesToken: boolean },
    visitor: Visitor,
  ): Promise<{ setCookies: string[] }>;

  /** Answers the same whether or not the account exists. */
  requestPasswordReset(input: { email: string }, visitor: Visitor): Promise<Done | TooMany>;
  isResetTokenValid(token: string): Promise<boolean>;
  /** Ends all access to the account; the person signs in anew. */
  resetPassword(
    input: { token: string; password: string; revokesToken: boolean },
    visitor: Visitor,
  ): Promise<{ kind: 'done'; setCookies: string[] } | { kind: 'expired' } | Refused | TooMany>;

  changeName(userId: string, name: string): Promise<Done | Refused>;
  /** Asks for the password; without SMTP the change is made at once, else after the mailed link. */
  changeEmail(
    input: { email: string; password: string },
    visitor: Visitor,
  ): Promise<Done | { kind: 'mailed' } | Refused | TooMany>;
  /** Behind the mailed link: the new address is in force. The link works once. */
  confirmEmail(token: string): Promise<Done | { kind: 'expired' }>;
  /** Mails the link anew with which the present address is confirmed. */
  requestEmailConfirmation(userId: string, visitor: Visitor): Promise<Done | TooMany>;
  /** Behind the link that the old address got: the change is off. The link works once, for whoever has it. */
  stopEmailChange(token: string): Promise<Done | { kind: 'expired' }>;
  /** Asks for the password. The old token stops working; the only time that the text is known. */
  generateApiToken(
    input: { password: string },
    visitor: Visitor,
  ): Promise<{ kind: 'generated'; token: string } | Refused | TooMany>;
  /** Ends the user's other sessions. Errors are of `password` and `currentPassword`. */
  changePassword(
    input: { currentPassword: string; password: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany>;

  /** Begins: the secret is not in force before `confirmSecondFactor`. */
  beginSecondFactor(
    input: { password: string },
    visitor: Visitor,
  ): Promise<{ kind: 'begun'; otpauthUri: string; recoveryCodes: string[] } | Refused | TooMany>;
  confirmSecondFactor(
    input: { code: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany>;
  endSecondFactor(
    input: { password: string },
    visitor: Visitor,
  ): Promise<SignedIn | Refused | TooMany>;

  /** Refused while the user owns a team with other members; a team of one goes with its owner. */
  deleteAccount(
    input: { password: string },
    visitor: Visitor,
  ): Promise<
    | { kind: 'deleted'; setCookies: string[] }
    | { kind: 'owns-teams'; teams: TeamOfUser[] }
    | Refused
    | TooMany
  >;
}

export type Member = { userId: string; name: string; email: string; role: Role; joinedAt: number };

export type Invitation = {
  id: string;
  /** null: anybody who has the link may use it, once. */
  email: string | null;
  role: 'admin' | 'member';
  invitedByName: string;
  createdAt: number;
  expiresAt: number;
};

export interface Teams {
  /** Makes the team with the user as owner and current in it. */
  createTeam(userId: string, name: string): Promise<{ kind: 'created'; teamId: string } | Refused>;
  renameTeam(actor: Actor, name: string): Promise<Done | Refused>;
  /** The API follows at once (§5.2). False where the user is not in that team. */
  switchTeam(userId: string, teamId: string): Promise<boolean>;
  /** Whom members turn to: the owner and the admins, and how many there are in all. For every member. */
  describeTeam(actor: Actor): Promise<{ leading: Member[]; memberCount: number }>;
  /** What goes with the team. */
  describeTeamDeletion(
    actor: Actor,
  ): Promise<{ crons: number; queues: number; jobs: number; members: number }>;
  /** `name` repeats the team's name, as typed to confirm. */
  deleteTeam(actor: Actor, name: string): Promise<Done | Refused>;
  leaveTeam(actor: Actor): Promise<Done | { kind: 'is-owner' }>;
  transferTeam(actor: Actor, toUserId: string): Promise<Done | NotFound | { kind: 'owns-enough' }>;

  listMembers(actor: Actor): Promise<Member[]>;
  changeRole(actor: Actor, userId: string, role: 'admin' | 'member'): Promise<Done | NotFound>;
  removeMember(actor: Actor, userId: string): Promise<Done | NotFound>;

  /** Open ones only, newest first. */
  listInvitations(actor: Actor): Promise<Invitation[]>;
  /** `link` is shown once, to copy; `mailed` says whether a mail left as well. */
  invite(
    actor: Actor,
    input: { email: string | null; role: 'admin' | 'member' },
    visitor: Visitor,
  ): Promise<{ kind: 'invited'; link: string; mailed: boolean } | Refused | TooMany>;
  revokeInvitation(actor: Actor, invitationId: string): Promise<boolean>;
  /** null: never existed, used, revoked or expired. */
  readInvitation(token: string): Promise<{
    teamName: string;
    email: string | null;
    role: 'admin' | 'member';
    invitedByName: string;
  } | null>;
  /** For somebody who is signed in; the team becomes their current one. */
  acceptInvitation(
    token: string,
    userId: string,
  ): Promise<Done | NotFound | { kind: 'other-email'; email: string } | { kind: 'already-member' }>;
  /** For a newcomer: makes the account, joins and signs in. `email` is ignored where the invitation names one. */
  registerByInvitation(
    token: string,
    input: { name: string; email: string; password: string; mailed?: string },
    visitor: Visitor,
  ): Promise<SignedIn | NotFound | Refused | TooMany>;
}

interface Tokens {
  /** What may be known of the user's API token afterwards; `hint` is its last four characters. */
  readApiToken(
    userId: string,
  ): Promise<{ hint: string; createdAt: number; lastUsedAt: number | null } | null>;
}

export interface Signing {
  readSigningSecret(actor: Actor): Promise<{ createdAt: number; masked: string } | null>;
  /** The text, for an admin who asks for it. */
  revealSigningSecret(actor: Actor): Promise<string | null>;
  /** Makes the first or replaces the old one; in force with the next request (§5.6). */
  generateSigningSecret(actor: Actor): Promise<string>;
  /** Requests are no longer signed. */
  deleteSigningSecret(actor: Actor): Promise<void>;
}

/** The team's runs in this UTC month (§8.2). `limit` null: unlimited. */
export type Usage = { plan: string; limit: number | null; used: number };

export interface Billing {
  readUsage(teamId: string): Promise<Usage>;
  /** One entry per UTC day of the month so far, `day` as `2026-11-21`. */
  listUsageByDay(actor: Actor): Promise<{ day: string; runs: number }[]>;
}

export type People = {
  accounts: Accounts;
  teams: Teams;
  tokens: Tokens;
  signing: Signing;
  billing: Billing;
};

/** What the frame around each page shows. */
export type Pulse = {
  /** Active crons whose last run failed. */
  failingCrons: number;
  /** What the Failed tab shows, as far as it is worth counting (at most 10,001). */
  failedJobs: number;
  unreadAlerts: number;
};

/** What the overview counts; each number at most 10,001. */
export type Counts = {
  crons: { active: number; paused: number };
  queues: { active: number; paused: number };
  jobs: { pending: number; processing: number; retrying: number };
};

/** What pages ask of `work`: its verbs for crons, jobs and queues, and what lists, details and plots need. */
export interface Work
  extends
    CronWork,
    JobWork,
    QueueWork,
    CronPages,
    JobPages,
    RunPages,
    AlertWork,
    WindowWork,
    ChannelWork {
  /** Whether a header is masked until it is asked for, by the installation's rule (§5.9). */
  isSecretHeader: IsSecretHeader;
  readPulse(teamId: string): Promise<Pulse>;
  readCounts(teamId: string): Promise<Counts>;
  /** The newest cron or job that the user's token created after `since`: the settings page waits for it. */
  findFirstCreatedSince(
    teamId: string,
    since: number,
  ): Promise<{ kind: 'job' | 'cron'; id: string; createdAt: number } | null>;
}

/** What tells people of alerts; pages only ask it for tests. */
interface TestNotices {
  /**
   * Sends a test by a channel that may not have been saved yet, to a chat or to every member. It takes as
   * long as the chat or the mail server does, up to about 10 seconds each. `logged`: there is no mail server.
   */
  sendTest(
    teamId: string,
    config: ChannelConfig,
  ): Promise<{ kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string }>;
}

export type Services = { people: People; work: Work; notifier: TestNotices };
