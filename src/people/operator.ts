import type { Doer } from '#domain/team/activity';
import { normalizeEmail } from '#domain/team/email-address';
import { isUuid } from '#domain/base/ids';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { Member } from '#store/people/members';
import type { Team } from '#store/people/teams';
import type { User } from '#store/people/users';
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
import { DONE, NOT_FOUND, type NotFound, refuse, type Refused } from './outcomes.ts';
import type { Usage } from './plans.ts';
import type { InvitedRole, Role } from './roles.ts';
import { makeApiToken, makeSecret } from './secrets.ts';

/** The operator acts, so no role is checked. */

export type { Member, User };

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

export async function listUsers({ store }: Context): Promise<User[]> {
  return store.users.list();
}

/** An action on the account with an email. Null: there is none. */
function onAccount<Given extends unknown[], Result>(
  act: (context: Context, user: User, ...given: Given) => Promise<Result>,
) {
  return async (context: Context, email: string, ...given: Given): Promise<Result | null> => {
    const user = await context.store.users.findByEmail(normalizeEmail(email));
    return user && act(context, user, ...given);
  };
}

/** Valid once, for an hour. */
export const resetPasswordUrl = onAccount(async (context, { id, email }) => {
  const entry = { action: 'account.reset-link', detail: email } as const;
  await context.activity.ofAccount(id, entry, 'command-line');
  return makeLink(context, { purpose: 'reset-password', whom: id, replaces: true });
});

/** Also ends open one-time tokens. */
export const signOut = onAccount(
  async ({ store, activity }, { id }, what: { revokesToken: boolean }) => {
    await store.users.endAccess(id, what);
    await activity.ofAccount(id, { action: 'account.signed-out' }, 'command-line');
    return DONE;
  },
);

export const confirmEmail = onAccount(
  async ({ store, clock, activity }, { id, email, isEmailVerified }) => {
    const confirmed = { email, isVerified: true };
    if (!isEmailVerified) await store.users.changeEmail(id, confirmed, clock.now());
    const entry = { action: 'account.email', what: `${email}, confirmed` } as const;
    await activity.accountChanged(id, entry, 'command-line');
    return DONE;
  },
);

/** Also ends the sessions. The next sign-in with the email links the account again. */
export const unlink = onAccount(async ({ store, activity }, { id, email }) => {
  const removed = await store.providerLinks.removeAll(id);
  await store.users.endAccess(id, { revokesToken: false });
  const entry = { action: 'account.provider-ended', what: email } as const;
  await activity.accountChanged(id, entry, 'command-line');
  return { wasLinked: removed > 0 };
});

export const newToken = onAccount(async ({ tokens, activity }, { id, email }) => {
  const token = await tokens.generateApiToken(id);
  await activity.ofAccount(id, { action: 'account.token', detail: email }, 'command-line');
  return token;
});

/** @returns the owned teams with other members, which prevent it */
export const deleteUser = onAccount(async ({ store, clock, log }, { id: userId }) => {
  const inTheWay = await store.users.delete(userId, clock.now());
  if (inTheWay.length === 0)
    log.info('account.changed', { what: 'deleted by the operator', userId });
  return inTheWay;
});

export async function listTeamMembers({ store }: Context, teamId: string): Promise<Member[]> {
  return store.members.list(teamId);
}

type MemberChange =
  | { action: 'member.added' | 'member.role'; detail: InvitedRole }
  | { action: 'member.removed' };

/** False: to be added but a member already, or to be changed but no member or the owner. */
export const changeMember = onAccount(
  async (context, { id, name }, teamId: string, change: MemberChange) => {
    const isDone = await carryOut(context, { teamId, userId: id }, change);
    const entry = { ...change, subject: { id, name } };
    if (isDone) await context.activity.ofTeam(teamId, 'command-line', entry);
    return isDone;
  },
);

function carryOut(
  { store: { members }, clock }: Context,
  { teamId, userId }: { teamId: string; userId: string },
  change: MemberChange,
): Promise<boolean> {
  if (change.action === 'member.removed') return members.remove(teamId, userId);
  const { action, detail: role } = change;
  return action === 'member.added'
    ? members.add(teamId, userId, role, clock.now())
    : members.changeRole(teamId, userId, role);
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

export async function generateSigningSecret(
  { store, clock, activity }: Context,
  teamId: string,
  doer: Doer = 'command-line',
): Promise<string> {
  const secret = makeSecret('whsec_');
  await store.teams.setSigningSecret(teamId, secret, clock.now());
  await activity.ofTeam(teamId, doer, { action: 'signing.generated' });
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
