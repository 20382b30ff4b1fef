import { normalizeEmail } from '#domain/team/email-address';
import { isUuid } from '#domain/base/ids';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { Team } from '#store/people/teams';
import { entryOfTest } from './channel-tests.ts';
import { makeSetupCode } from './codes.ts';
import type { Context } from './context.ts';
import {
  checkEmail,
  checkName,
  checkPassword,
  checkTeamName,
  gatherErrors,
  normalizeName,
} from './fields.ts';
import { findTeam } from './find-team.ts';
import { makeLink } from './links.ts';
import { takesPasswords } from './password-resets.ts';
import { NOT_FOUND, type NotFound, refuse, type Refused } from './outcomes.ts';
import type { Usage } from './plans.ts';
import type { Role } from './roles.ts';
import { makeApiToken, makeSecret } from './secrets.ts';

/** The operator acts, so no role is checked. */

interface NewUser {
  email: string;
  password: string;
  name?: string | undefined;
  /** An id to join, or a name to join or make; by default a new team. */
  team?: string | undefined;
  role?: Role | undefined;
}

export interface TeamWithUsage extends Usage {
  teamId: string;
  name: string;
  createdAt: number;
}

/** The named team becomes the user's current one. */
export async function createUser(
  context: Context,
  input: NewUser,
): Promise<{ kind: 'created'; userId: string; teamId: string; apiToken: string } | Refused> {
  const email = normalizeEmail(input.email);
  const name = normalizeName(input.name ?? email.split('@')[0] ?? '');
  const team = normalizeName(input.team ?? `${name}'s team`);
  const role = input.role ?? null;
  const refused = gatherErrors({
    email: checkEmail(email),
    password: checkPassword(input.password),
    name: checkName(name, 'a name'),
    team: isUuid(team) ? [] : checkTeamName(team),
  });
  if (refused) return refused;
  const { store, clock, passwords, plans } = context;
  const token = makeApiToken();
  const result = await store.registrations.register(
    {
      account: {
        email,
        name,
        passwordHash: await passwords.hash(input.password),
        isEmailVerified: true,
      },
      team: isUuid(team)
        ? { kind: 'existing', teamId: team.toLowerCase(), role }
        : {
            kind: input.team === undefined ? 'new' : 'named',
            name: team,
            plan: plans.ofNewTeam,
            firstPlan: plans.ofFirstTeam,
            role,
          },
      token,
      isFirst: false,
    },
    clock.now(),
  );
  if (result.kind === 'email-taken') return refuse('email', 'There is an account with this email.');
  if (result.kind === 'has-owner') return refuse('role', `The team ${team} has an owner already.`);
  if (result.kind === 'no-team') return refuse('team', `There is no team ${team}.`);
  if (result.kind === 'ambiguous')
    return refuse(
      'team',
      `Several teams have this name. Give an id: ${result.teamIds.join(', ')}.`,
    );
  if (result.kind !== 'registered') throw new Error(`registration came to ${result.kind}`);
  const { userId, teamId } = result;
  return { kind: 'created', userId, teamId, apiToken: token.text };
}

/** Null: there is an account already. */
export async function setupCode(context: Context): Promise<string | null> {
  const { store, config } = context;
  return (await store.registrations.hasBegun()) ? null : makeSetupCode(config.appKey);
}

/** Valid once, for an hour. Null: no such account. */
export async function resetPasswordUrl(context: Context, email: string): Promise<string | null> {
  const { store, activity } = context;
  const user = await store.users.findByEmail(normalizeEmail(email));
  if (!user) return null;
  const entry = { action: 'account.reset-link', detail: user.email } as const;
  await activity.ofAccount(user.id, entry, 'command-line');
  return makeLink(context, { purpose: 'reset-password', whom: user.id, replaces: true });
}

/** Also ends open one-time tokens. False: no such account. */
export async function signOut(
  context: Context,
  email: string,
  what: { revokesToken: boolean },
): Promise<boolean> {
  const { store, activity } = context;
  const { users } = store;
  const user = await users.findByEmail(normalizeEmail(email));
  if (!user) return false;
  await users.endAccess(user.id, what);
  await activity.ofAccount(user.id, { action: 'account.signed-out' }, 'command-line');
  return true;
}

/** False: no such account. */
export async function confirmEmail(context: Context, email: string): Promise<boolean> {
  const { store, clock, activity } = context;
  const user = await store.users.findByEmail(normalizeEmail(email));
  if (!user) return false;
  const confirmed = { email: user.email, isVerified: true };
  if (!user.isEmailVerified) await store.users.changeEmail(user.id, confirmed, clock.now());
  const what = `${user.email}, confirmed`;
  await activity.accountChanged(user.id, { action: 'account.email', what }, 'command-line');
  return true;
}

/** Also ends the sessions. The next sign-in with the email links the account again. Null: no such account. */
export async function unlink(
  context: Context,
  email: string,
): Promise<{ wasLinked: boolean } | null> {
  const { store, activity } = context;
  const user = await store.users.findByEmail(normalizeEmail(email));
  if (!user) return null;
  const removed = await store.providerLinks.removeAll(user.id);
  await store.users.endAccess(user.id, { revokesToken: false });
  const entry = { action: 'account.provider-ended', what: user.email } as const;
  await activity.accountChanged(user.id, entry, 'command-line');
  return { wasLinked: removed > 0 };
}

/** Null: no such account. */
export async function newToken(context: Context, email: string): Promise<string | null> {
  const { store, tokens, activity } = context;
  const user = await store.users.findByEmail(normalizeEmail(email));
  if (!user) return null;
  const token = await tokens.generateApiToken(user.id);
  await activity.ofAccount(
    user.id,
    { action: 'account.token', detail: user.email },
    'command-line',
  );
  return token;
}

export async function listTeams(context: Context): Promise<TeamWithUsage[]> {
  const teams = await context.store.teams.list();
  return Promise.all(teams.map((team) => withUsage(context, team)));
}

export { findTeam, takesPasswords };

export async function setPlan(
  context: Context,
  teamId: string,
  plan: string,
): Promise<{ kind: 'set'; team: TeamWithUsage } | NotFound | Refused> {
  const { plans, store } = context;
  if (!plans.names.includes(plan)) {
    return refuse('plan', `There is no plan ${plan}; PLANS has: ${plans.names.join(', ')}.`);
  }
  const team = await store.teams.find(teamId);
  if (!team) return NOT_FOUND;
  await store.teams.setPlan(team.id, plan);
  const entry = { action: 'team.plan', detail: `${team.plan} → ${plan}` } as const;
  await context.activity.ofTeam(team.id, 'command-line', entry);
  return { kind: 'set', team: await withUsage(context, { ...team, plan }) };
}

export async function generateSigningSecret(context: Context, teamId: string): Promise<string> {
  const secret = makeSecret('whsec_');
  const { store, clock, activity } = context;
  await store.teams.setSigningSecret(teamId, secret, clock.now());
  await activity.ofTeam(teamId, 'command-line', { action: 'signing.generated' });
  return secret;
}

/** The operator's tests aren't limited. */
export async function recordChannelTest(
  context: Context,
  teamId: string,
  config: ChannelConfig,
): Promise<void> {
  await context.activity.ofTeam(teamId, 'command-line', entryOfTest(config));
}

async function withUsage(context: Context, team: Team): Promise<TeamWithUsage> {
  const { store, plans, clock } = context;
  return {
    teamId: team.id,
    name: team.name,
    plan: team.plan,
    limit: plans.limitOf(team.plan),
    used: await store.usage.usedInMonth(team.id, clock.now()),
    createdAt: team.createdAt,
  };
}
