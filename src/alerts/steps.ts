import {
  type ChannelAddress,
  type ChannelConfig,
  isMailed,
  type PostedChannel,
  stateOfAddress,
} from '#domain/alerts/notification-channel';
import type { Channel, MemberAddress } from '#store/alerts/channels';
import type { NotificationTarget } from '#store/alerts/notifications';

/** To the team's chat, or to one member or address. `none` fails: a recipient may confirm before the last retry. */
export type Step =
  | { target: NotificationTarget; kind: 'post'; config: PostedChannel }
  | { target: NotificationTarget; kind: 'mail'; address: string }
  | { target: NotificationTarget; kind: 'none' };

export interface Recipients {
  targets: readonly NotificationTarget[];
  areMembersNotified: boolean;
}

/**
 * The chat first, then each member or address once. For alerts of queues an email channel adds no one: every member is
 * emailed anyway.
 */
export function planSteps(
  { targets, areMembersNotified }: Recipients,
  { config, addresses }: Pick<Channel, 'config' | 'addresses'>,
  members: readonly MemberAddress[],
): Step[] {
  const forChannel = targets.filter(isForChannel).map((target) => ofKind(config, target));
  const forMembers = targets.filter((target) => !isForChannel(target));
  const mails = members.flatMap(({ userId, email: address }): Step[] => {
    const isAmong = (some: readonly NotificationTarget[], all: NotificationTarget) =>
      some.some((each) => each === all || (isMember(each) && each.userId === userId));
    if (isAmong(forMembers, 'members')) return [{ target: { userId }, kind: 'mail', address }];
    if (config.kind !== 'email' || areMembersNotified) return [];
    if (!isAmong(forChannel, 'channel')) return [];
    return [{ target: { userId, asChannel: true }, kind: 'mail', address }];
  });
  if (config.kind === 'email-addresses') return [...planAddresses(forChannel, addresses), ...mails];
  if (isMailed(config) || forChannel.length === 0) return mails;
  return [{ target: 'channel', kind: 'post', config }, ...mails];
}

function planAddresses(
  targets: readonly NotificationTarget[],
  addresses: readonly ChannelAddress[],
): Step[] {
  const isForAll = targets.includes('channel');
  const mails = addresses
    .filter((address) => stateOfAddress(address) === 'confirmed')
    .filter(
      ({ id }) => isForAll || targets.some((each) => isAddress(each) && each.addressId === id),
    )
    .map(({ id: addressId, email: address }): Step => {
      return { target: { addressId }, kind: 'mail', address };
    });
  return isForAll && mails.length === 0 ? [{ target: 'channel', kind: 'none' }] : mails;
}

/** If the channel was of another kind at the first try, the present one notifies all. */
function ofKind({ kind }: ChannelConfig, target: NotificationTarget): NotificationTarget {
  const isOfKind =
    kind === 'email' ? !isAddress(target) : kind === 'email-addresses' && isAddress(target);
  return isOfKind ? target : 'channel';
}

export function isAddress(target: NotificationTarget): target is { addressId: string } {
  return typeof target === 'object' && 'addressId' in target;
}

function isMember(target: NotificationTarget): target is { userId: string; asChannel?: true } {
  return typeof target === 'object' && 'userId' in target;
}

export function isForChannel(target: NotificationTarget): boolean {
  return (
    target === 'channel' || isAddress(target) || (isMember(target) && target.asChannel === true)
  );
}
