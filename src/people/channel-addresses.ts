import { isId } from '#domain/base/ids';
import { type ChannelAddress, stateOfAddress } from '#domain/alerts/notification-channel';
import type { FoundAddress } from '#store/alerts/channels';
import { allowed } from './actor.ts';
import type { Context, PeopleConfig } from './context.ts';
import { isSame } from './cookies.ts';
import { keyOf, makeLink, readSecret } from './links.ts';
import type { MailOutcome } from './mail.ts';
import { writeAddressMail } from './mails.ts';
import { type Done, DONE, NOT_FOUND, type NotFound, type TooMany } from './outcomes.ts';
import { macOf } from './secrets.ts';

/** Email addresses of notification channels (§6.5). Their recipients need no account. */

interface AddressPlace {
  email: string;
  teamName: string;
}

/** Mails a link to each address that has got none yet. Limits skip some; `resend` can mail these later. */
export function askNewAddresses(context: Context, teamId: string): void {
  context.background.run('channels.addresses-not-asked', async () => {
    const channels = await context.store.channels.list(teamId);
    for (const address of channels.flatMap(({ addresses }) => addresses)) {
      if (address.askedAt === null && stateOfAddress(address) === 'waiting')
        await ask(context, teamId, address);
    }
  });
}

/** Earlier links of the address stop working. */
export const resendConfirmation = allowed('notifications', (context, { teamId }, id: string) =>
  resend(context, teamId, id),
);

export async function resend(
  context: Context,
  teamId: string,
  addressId: string,
): Promise<Asked | NotFound> {
  const found = isId(addressId) && (await context.store.channels.findAddress(teamId, addressId));
  if (!found || stateOfAddress(found) !== 'waiting') return NOT_FOUND;
  return ask(context, teamId, found);
}

/** Null: the link is used, replaced or expired, or the address was removed. */
export async function readConfirmation(
  context: Context,
  token: string,
): Promise<AddressPlace | null> {
  const taken = await readSecret(context, 'confirm-address', token);
  if (taken === null) return null;
  const found = await context.store.channels.findAddress(taken.detail, taken.whom);
  return found && stateOfAddress(found) !== 'stopped' ? placeOf(context, found) : null;
}

export async function confirmAddress(
  context: Context,
  token: string,
): Promise<Done | { kind: 'expired' }> {
  const { store, clock } = context;
  const key = keyOf('confirm-address', token);
  const confirmed = key && (await store.channels.confirmAddress(key, clock.now()));
  if (!confirmed) return { kind: 'expired' };
  await record(context, confirmed, 'channel.address-confirmed');
  return DONE;
}

/** Null: not a stop link of this installation, or the address was removed. */
export async function readStop(context: Context, token: string): Promise<AddressPlace | null> {
  const found = await findStop(context, token);
  return found && placeOf(context, found);
}

/** The link works any number of times: each notification has the same one. */
export async function stopAddress(
  context: Context,
  token: string,
): Promise<Done | { kind: 'expired' }> {
  const found = await findStop(context, token);
  if (!found) return { kind: 'expired' };
  const { store, clock } = context;
  const stopped = await store.channels.stopAddress(found.teamId, found.id, clock.now());
  if (stopped) await record(context, stopped, 'channel.address-stopped');
  return DONE;
}

type StopUrlOf = (teamId: string, addressId: string) => string;

/** The database has nothing of the token, which only the application key can make. */
export function createStopUrls({
  appKey,
  baseUrl,
}: Pick<PeopleConfig, 'appKey' | 'baseUrl'>): StopUrlOf {
  return (teamId, addressId) => `${baseUrl}/stop-alerts/${stopTokenOf(appKey, teamId, addressId)}`;
}

function stopTokenOf(appKey: Uint8Array, teamId: string, addressId: string): string {
  const mac = macOf(appKey, 'belfry stop links', `${teamId} ${addressId}`);
  return `${teamId}.${addressId}.${mac}`;
}

async function findStop({ config, store }: Context, token: string): Promise<FoundAddress | null> {
  const [teamId = '', addressId = ''] = token.split('.', 2);
  if (!isId(teamId) || !isId(addressId)) return null;
  if (!isSame(token, stopTokenOf(config.appKey, teamId, addressId))) return null;
  return store.channels.findAddress(teamId, addressId);
}

async function placeOf(
  { store }: Context,
  { teamId, email }: FoundAddress,
): Promise<AddressPlace | null> {
  const team = await store.teams.find(teamId);
  return team && { email, teamName: team.name };
}

type Asked = MailOutcome | TooMany;

/** If another process asks at the same time, one of them mails. */
async function ask(
  context: Context,
  teamId: string,
  { id, email, askedAt }: ChannelAddress,
): Promise<Asked> {
  const { store, clock } = context;
  const now = clock.now();
  const address = { teamId, id };
  if (!(await store.channels.recordAsked(address, { from: askedAt, to: now })))
    return { kind: 'sent' };
  const outcome = await mailLink(context, teamId, { id, email });
  if (outcome.kind === 'too-many' || outcome.kind === 'failed')
    await store.channels.recordAsked(address, { from: now, to: askedAt });
  return outcome;
}

async function mailLink(
  context: Context,
  teamId: string,
  { id, email }: Pick<ChannelAddress, 'id' | 'email'>,
): Promise<Asked> {
  const { store, limits, mailer } = context;
  const tooMany =
    (await limits.count('address-confirmation', teamId, email)) ??
    (await limits.count('team-confirmation', teamId)) ??
    (await limits.count('mailbox', email));
  if (tooMany) return tooMany;
  const wanted = { purpose: 'confirm-address', whom: id, detail: teamId, replaces: true } as const;
  const link = await makeLink(context, wanted);
  const team = await store.teams.find(teamId);
  return mailer.send(writeAddressMail(email, { teamName: team?.name ?? '', link }));
}

async function record(
  { activity }: Context,
  { teamId, channelId, channelName, email }: FoundAddress,
  action: 'channel.address-confirmed' | 'channel.address-stopped',
): Promise<void> {
  const subject = { id: channelId, name: channelName ?? 'Default channel' };
  await activity.ofTeam(teamId, 'recipient', { action, subject, detail: email });
}
