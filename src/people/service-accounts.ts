import { type Doer, NAMED_DOERS } from '#domain/team/activity';
import { nameUser } from '#domain/team/actors';
import { isId } from '#domain/base/ids';
import { LIMITS } from '#domain/base/limits';
import type { ServiceAccount } from '#store/people/service-accounts';
import { allowed } from './actor.ts';
import type { Context, RequestContext } from './context.ts';
import { checkName, gatherErrors, normalizeName } from './fields.ts';
import { refuse, type Refused, type TooMany } from './outcomes.ts';
import { confirmPassword } from './reauthentication.ts';
import { makeServiceToken } from './secrets.ts';

/** Tokens of a team that belong to no user, so they keep working when people leave (§5.11). */

export type { ServiceAccount };

type Made = { kind: 'made'; id: string; token: string } | Refused;

export const serviceAccounts = {
  list: allowed('service-accounts', ({ store }, { teamId }) => store.serviceAccounts.list(teamId)),

  /** Only this result contains the token. */
  create: allowed(
    'service-accounts',
    async (
      context,
      actor,
      { name, password }: { name: string; password: string },
      request: RequestContext,
    ): Promise<Made | TooMany> => {
      const confirmed = await confirmPassword(context, password, request);
      if (confirmed.kind !== 'confirmed') return confirmed;
      const madeBy = nameUser(confirmed.user);
      return make(context, actor.teamId, { name, madeBy }, actor);
    },
  ),

  /** False: no such account. Without the password, because a leaked token must end at once. */
  revoke: allowed('service-accounts', (context, actor, accountId: string) =>
    revoke(context, actor.teamId, accountId, actor),
  ),
};

/** The operator acts, so no role is checked. */
export const serviceAccountsOfAnyTeam = {
  listServiceAccounts: ({ store }: Context, teamId: string) => store.serviceAccounts.list(teamId),
  createServiceAccount: (context: Context, teamId: string, name: string) =>
    make(context, teamId, { name, madeBy: NAMED_DOERS['command-line'] }, 'command-line'),
  revokeServiceAccount: (context: Context, teamId: string, accountId: string) =>
    revoke(context, teamId, accountId, 'command-line'),
};

const NAME_TAKEN = 'The team has a service account with this name.';
const TOO_MANY = `The team has ${LIMITS.serviceAccounts} service accounts, and more are not allowed. Revoke one first.`;

async function make(
  { store, clock, activity }: Context,
  teamId: string,
  given: { name: string; madeBy: string },
  doer: Doer,
): Promise<Made> {
  const name = normalizeName(given.name);
  const refused = gatherErrors({ name: checkName(name, 'a name') });
  if (refused) return refused;
  const token = makeServiceToken();
  const account = { name, madeBy: given.madeBy, token };
  const outcome = await store.serviceAccounts.add(teamId, account, clock.now());
  if (outcome === 'name-taken') return refuse('name', NAME_TAKEN);
  if (outcome === 'too-many') return refuse('name', TOO_MANY);
  const subject = { id: outcome.id, name };
  await activity.ofTeam(teamId, doer, { action: 'service-account.created', subject });
  return { kind: 'made', id: outcome.id, token: token.text };
}

async function revoke(
  { store, activity }: Context,
  teamId: string,
  accountId: string,
  doer: Doer,
): Promise<boolean> {
  if (!isId(accountId)) return false;
  const name = await store.serviceAccounts.revoke(teamId, accountId);
  if (name === null) return false;
  const subject = { id: accountId, name };
  await activity.ofTeam(teamId, doer, { action: 'service-account.revoked', subject });
  return true;
}
