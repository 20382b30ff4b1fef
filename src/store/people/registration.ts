import { newId } from '#domain/base/ids';
import { sql } from '../database/sql.ts';
import type { Role } from '../tables/accounts.ts';
import { keepToken, type TokenToKeep } from './api-tokens.ts';
import type { Trx } from '../database/database.ts';
import { takeOneTimeToken } from './one-time-tokens.ts';
import { addPassword } from './passwords.ts';
import { addLink, type ProviderLink } from './provider-links.ts';
import { bestOfTeams, type Mapped } from './group-memberships.ts';
import { lockInvitation } from './invitations.ts';
import { insertTeam } from './teams.ts';
import { add, all, count, first, one, remove } from '../database/rows.ts';
import type { Context } from '../database/context.ts';

interface NewAccount {
  email: string;
  name: string;
  passwordHash: string | null;
  /** Proven by a mail, or by the operator. */
  isEmailVerified: boolean;
}

interface NewTeam {
  name: string;
  plan: string;
  /** If the installation has no team yet. */
  firstPlan?: string;
}

export type StartingTeam =
  | ({ kind: 'new' } & NewTeam)
  /** A new one if there is none. */
  | ({ kind: 'named'; role: Role | null } & NewTeam)
  | { kind: 'existing'; teamId: string; role: Role | null }
  | { kind: 'invited'; tokenHash: string }
  /** One of the teams of the person's groups. It doesn't become their current one. */
  | { kind: 'by-groups'; mapped: readonly Mapped[] };

export interface Registration {
  account: NewAccount;
  team: StartingTeam;
  token: TokenToKeep | null;
  link?: ProviderLink;
  /** It is used up; without it the registration is refused. */
  oneTimeToken?: { purpose: string; hash: string };
  /** Refused if there was ever an account. */
  isFirst: boolean;
}

export type Registered =
  | { kind: 'registered'; userId: string; teamId: string; role: Role; group: string | null }
  | { kind: 'closed' }
  | { kind: 'email-taken' }
  | Exclude<Place, { kind: 'place' }>;

/** The key of a row that exists once there is an account. Registrations lock it and run one after another. */
const FIRST_ACCOUNT = 'first_account';

export const registrations = {
  async hasBegun({ main }: Context): Promise<boolean> {
    return (await one(main, 'installation', { key: FIRST_ACCOUNT }, ['key'])) !== undefined;
  },

  async register(
    { main }: Context,
    { account, team, token, link, oneTimeToken, isFirst }: Registration,
    now: number,
  ): Promise<Registered> {
    return main.transact(async (trx) => {
      const userId = newId(now);
      const wasFirst = await lockFirstAccount(trx, userId);
      if (isFirst && !wasFirst) return { kind: 'closed' };
      if (oneTimeToken && !(await takeOneTimeToken(trx, oneTimeToken, now)))
        return refuse(trx, wasFirst, { kind: 'not-invited' });
      if (await one(trx, 'users', { email: account.email }, ['id'])) return { kind: 'email-taken' };
      const place = await findPlace(trx, team, account.email, now);
      if (place.kind !== 'place') return refuse(trx, wasFirst, place);
      const { teamId, role, group = null } = place;
      const current_team_id = group === null ? teamId : null;
      const { email, name, passwordHash, isEmailVerified } = account;
      const email_verified = isEmailVerified ? 1 : 0;
      const user = { id: userId, name, email, email_verified, current_team_id } as const;
      await add(trx, 'users', { ...user, created_at: now, updated_at: now });
      if (passwordHash !== null) await addPassword(trx, userId, passwordHash, now);
      const membership = { team_id: teamId, user_id: userId, role, created_at: now };
      await add(trx, 'memberships', { ...membership, group_name: group });
      if (link && !(await addLink(trx, userId, link, now)))
        throw new Error('the person has an account');
      if (token) await keepToken(trx, userId, token, now);
      return { kind: 'registered', userId, teamId, role, group };
    });
  },
};

async function lockFirstAccount(trx: Trx, userId: string): Promise<boolean> {
  const [row] = await trx.ask(sql<{ value: string }>`
    insert into installation (key, value) values (${FIRST_ACCOUNT}, ${userId})
    on conflict (key) do update set value = installation.value returning value`);
  return row?.value === userId;
}

/** If it would have been the first account, its row is removed, so a first account can still be made. */
async function refuse(
  trx: Trx,
  wasFirst: boolean,
  refusal: Exclude<Registered, { kind: 'registered' }>,
): Promise<Registered> {
  if (wasFirst) await remove(trx, 'installation', { key: FIRST_ACCOUNT });
  return refusal;
}

type Place =
  | { kind: 'place'; teamId: string; role: Role; group?: string }
  | { kind: 'has-owner' }
  | { kind: 'no-team' }
  | { kind: 'ambiguous'; teamIds: string[] }
  | { kind: 'not-invited' };

async function findPlace(trx: Trx, team: StartingTeam, email: string, now: number): Promise<Place> {
  if (team.kind === 'invited') return takeInvitation(trx, team.tokenHash, email, now);
  if (team.kind === 'by-groups') return findByGroups(trx, team.mapped);
  if (team.kind === 'new') return makeTeam(trx, team, now);
  const key = team.kind === 'existing' ? { id: team.teamId } : { name: team.name };
  const order = ['id'] as const;
  const found = await all(trx, 'teams', { ...key, deleted_at: null }, { columns: ['id'], order });
  const [first] = found;
  if (!first) return team.kind === 'named' ? makeTeam(trx, team, now) : { kind: 'no-team' };
  if (found.length > 1) return { kind: 'ambiguous', teamIds: found.map(({ id }) => id) };
  return joinTeam(trx, first.id, team.role);
}

async function joinTeam(trx: Trx, teamId: string, role: Role | null): Promise<Place> {
  const owner = await one(trx, 'memberships', { team_id: teamId, role: 'owner' }, ['user_id']);
  if (owner && role === 'owner') return { kind: 'has-owner' };
  // A team without an owner makes the next account its owner.
  return { kind: 'place', teamId, role: owner ? (role ?? 'member') : 'owner' };
}

async function findByGroups(trx: Trx, mapped: readonly Mapped[]): Promise<Place> {
  const best = bestOfTeams(mapped);
  const team = await first(
    trx,
    'teams',
    { id: [...best.keys()], deleted_at: null },
    { columns: ['id'], order: ['id'] },
  );
  const place = team && best.get(team.id);
  return place ? { kind: 'place', ...place } : { kind: 'not-invited' };
}

async function makeTeam(
  trx: Trx,
  { name, plan, firstPlan = plan }: NewTeam,
  now: number,
): Promise<Place> {
  const others = await count(trx, 'teams', { deleted_at: null }, 1);
  const { id } = await insertTeam(trx, { name, plan: others > 0 ? plan : firstPlan }, now);
  return { kind: 'place', teamId: id, role: 'owner' };
}

/** Deletes the invitation, so it lets only one person in. */
async function takeInvitation(
  trx: Trx,
  tokenHash: string,
  email: string,
  now: number,
): Promise<Place> {
  const found = await lockInvitation(trx, tokenHash, now);
  if (!found || (found.email !== null && found.email !== email)) return { kind: 'not-invited' };
  const { teamId, id, role } = found;
  await remove(trx, 'invitations', { team_id: teamId, id });
  return { kind: 'place', teamId, role };
}
