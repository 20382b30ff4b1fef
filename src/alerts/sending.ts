import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { isAside } from '#domain/alerts/alert-words';
import type { Sender } from '#domain/http/exchange';
import type { Log } from '#domain/base/log';
import {
  type ChannelAddress,
  type ChannelConfig,
  isMailed,
  type PostedChannel,
  stateOfAddress,
} from '#domain/alerts/notification-channel';
import type { Channel, MemberAddress } from '#store/alerts/channels';
import type { ClaimedNotification, NotificationTarget } from '#store/alerts/notifications';
import { createMask } from '#domain/runs/masking';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import type { Store } from '#store/store';
import type { Message } from './channels/message.ts';
import { writeDigest } from './compose-digest.ts';
import { writeMessage } from './compose.ts';
import { type Delivery, mailTo, postToChannel } from './deliver.ts';
import type { Mailer } from './mailer.ts';

/** Must be quick and never throw. */
export interface NotificationObserver {
  /** For each mail or post. */
  notificationSent(channel: ChannelConfig['kind']): void;
  /** It is retried for an hour. */
  notificationFailed(channel: ChannelConfig['kind']): void;
}

export interface SendingTools {
  store: Store;
  sender: Sender;
  mailer: Mailer;
  log: Log;
  baseUrl: string;
  /** Where the recipient of an address stops its mails. */
  stopUrlOf: (teamId: string, addressId: string) => string;
  isSecretHeader?: IsSecretHeader | undefined;
  /** Of the operator. */
  maskedFields?: readonly string[] | undefined;
  observer?: NotificationObserver;
}

/** Longer than one post or mail can take. */
const LEASE_MS = 60_000;
const CLAIMED_AT_ONCE = 5;
/** After these pauses, and once more at the end (§6.5). */
const RETRY_FOR_MS = 3_600_000;
const PAUSES_MS = [15_000, 30_000, 60_000, 120_000, 300_000, 600_000];

const ADDRESS_LOST =
  "the stored address of the channel can't be opened with this APP_KEY, so members are told by email; save the channel anew";

const NONE_CONFIRMED = 'no address of the channel is confirmed';

/**
 * Notifications with the same key are one message. A deleted channel is replaced by the default, so the channel is
 * part of the key.
 */
function batchKeyOf({ batchId, channelId, id }: ClaimedNotification): string {
  return batchId === null ? id : `${batchId} ${channelId}`;
}

type Batch = readonly [ClaimedNotification, ...ClaimedNotification[]];

interface Recipients {
  targets: readonly NotificationTarget[];
  areMembersNotified: boolean;
}

/** Prefers an alert of a cron, because only those are mailed for an email channel. */
function recipientsOf(batch: Batch): Recipients {
  const [first] = batch;
  const { alert } =
    batch.find((notification) => notification.alert.source.kind === 'cron') ?? first;
  const targets = batch.flatMap((notification) => notification.targets);
  const each = new Map(targets.map((target) => [JSON.stringify(target), target]));
  const areMembersNotified = alert.source.kind === 'queue' && !isAside(alert.kind);
  return { targets: [...each.values()], areMembersNotified };
}

/** To the team's chat, or to one member or address. `none` fails: a recipient may confirm before the last retry. */
type Step =
  | { target: NotificationTarget; kind: 'post'; config: PostedChannel }
  | { target: NotificationTarget; kind: 'mail'; address: string }
  | { target: NotificationTarget; kind: 'none' };

interface SendResult {
  hasSent: boolean;
  error: string | null;
}

export class NotificationSending {
  readonly #tools: SendingTools;
  readonly #store: Store;
  readonly #isStopping: () => boolean;

  constructor(tools: SendingTools, isStopping: () => boolean) {
    this.#tools = tools;
    this.#store = tools.store;
    this.#isStopping = isStopping;
  }

  async notifyTeam(teamId: string): Promise<void> {
    const { notifications, clock } = this.#store;
    for (;;) {
      const claim = { now: clock.now(), leaseMs: LEASE_MS, most: CLAIMED_AT_ONCE };
      const claimed = await notifications.claimDue(teamId, claim);
      const batches = Map.groupBy(claimed, batchKeyOf);
      for (const [first, ...others] of batches.values()) {
        if (!first) continue;
        // Releases the claim, so that other nodes needn't wait for the lease.
        if (this.#isStopping()) await this.#giveBack([first, ...others]);
        else await this.#send([first, ...others]);
      }
      if (claimed.length < CLAIMED_AT_ONCE || this.#isStopping()) return;
    }
  }

  async #giveBack(batch: Batch): Promise<void> {
    const { notifications, clock } = this.#store;
    for (const notification of batch)
      await notifications.keep([notification], notification.targets, clock.now());
  }

  /** The default replaces a deleted channel. */
  async #send(batch: Batch): Promise<void> {
    const [notification] = batch;
    const { teamId, channelId } = notification;
    const { channels, notifications } = this.#store;
    const named = await channels.find(teamId, channelId ?? DEFAULT_REF);
    // PagerDuty has an incident for each alert.
    if (batch.length > 1 && (named === null || named.config.kind === 'pagerduty')) {
      for (const each of batch) await this.#send([each]);
      return;
    }
    const isReplaced = named === null && (await notifications.fallBack(notification));
    const channel = isReplaced ? await channels.find(teamId, DEFAULT_REF) : named;
    if (channel === null) await notifications.finish(notification, 'sent');
    else await this.#sendTo(batch, channel);
  }

  async #sendTo(batch: Batch, channel: Channel): Promise<void> {
    const [notification] = batch;
    const { channels, clock, notifications } = this.#store;
    const { config, isAddressLost } = channel;
    const members = await channels.listMemberAddresses(notification.teamId, {
      onlyVerified: this.#tools.mailer.sends,
    });
    const message = await this.#write(batch);
    const steps = planSteps(recipientsOf(batch), channel, members);
    let left: NotificationTarget[] = steps.map(({ target }) => target);
    const result: SendResult = { hasSent: false, error: isAddressLost ? ADDRESS_LOST : null };
    for (const step of steps) {
      // A node that lost the claim must not send more.
      let isOurs = true;
      const mayContinue = async () =>
        (isOurs = await notifications.keep(batch, left, clock.now() + LEASE_MS));
      if (!(await mayContinue())) return;
      const error = await this.#take(notification, { step, message, mayContinue });
      if (!isOurs) return;
      if (error === null) left = left.filter((target) => target !== step.target);
      // Emails to members don't show whether the chat works.
      if (config.kind !== 'email' && !isForChannel(step.target)) continue;
      if (error === null) result.hasSent = true;
      else result.error ??= error;
    }
    await this.#record(notification.teamId, channel.id, result);
    await this.#settle(batch, left);
  }

  async #write([notification, ...others]: Batch): Promise<Message> {
    const { baseUrl, isSecretHeader: isSecret, maskedFields = [] } = this.#tools;
    const settings = await this.#store.teams.readSettings(notification.teamId);
    const mask = createMask([...maskedFields, ...settings.maskedFields]);
    const write = (each: ClaimedNotification) =>
      writeMessage({ ...each, notificationId: each.groupId }, baseUrl, { isSecret, mask });
    const first = write(notification);
    return others.length === 0 ? first : writeDigest([first, ...others.map(write)], baseUrl);
  }

  /** @returns null, or the error */
  async #take(
    notification: ClaimedNotification,
    {
      step,
      message,
      mayContinue,
    }: { step: Step; message: Message; mayContinue: () => Promise<boolean> },
  ): Promise<string | null> {
    const { log, observer } = this.#tools;
    const channel = step.kind === 'post' ? step.config.kind : 'email';
    const isIncident = step.kind === 'post' && step.config.kind === 'pagerduty';
    const sent = isIncident ? await this.#withoutRecovered(notification, message) : message;
    const delivery = await deliverStep(this.#tools, step, sent, mayContinue);
    const fields = { teamId: notification.teamId, notificationId: notification.id, channel };
    if (delivery.kind === 'failed') {
      const { error } = delivery;
      log.warn('notification.not-sent', { ...fields, attempt: notification.attempts, error });
      observer?.notificationFailed(channel);
      return error;
    }
    log.debug('notification.sent', fields);
    observer?.notificationSent(channel);
    return null;
  }

  /** The recovery may have been sent when there was no incident, so a new one would stay open. */
  async #withoutRecovered(
    { teamId, alert }: ClaimedNotification,
    message: Message,
  ): Promise<Message> {
    const { details } = message;
    if (message.level === 'recovery' || details === null) return message;
    const ids = details.subjects.map(({ id }) => id);
    const over = await this.#store.alerts.listRecoveredSince(teamId, ids, alert);
    const subjects = details.subjects.filter(({ id }) => !over.has(id));
    return { ...message, details: { ...details, subjects } };
  }

  /** Recorded last: if a step failed, the channel counts as failing. */
  async #record(teamId: string, channelId: string, { hasSent, error }: SendResult): Promise<void> {
    if (!hasSent && error === null) return;
    const { channels, clock } = this.#store;
    const now = clock.now();
    await channels.record(teamId, channelId, {
      ...(hasSent && { last_sent_at: now }),
      ...(error !== null && { last_error: error, last_error_at: now }),
    });
  }

  async #settle(batch: Batch, left: readonly NotificationTarget[]): Promise<void> {
    const [notification] = batch;
    const finishAll = async (delivery: 'sent' | 'failed') => {
      for (const each of batch) await notifications.finish(each, delivery);
    };
    const { notifications, clock } = this.#store;
    const now = clock.now();
    const giveUpAt = notification.firstTriedAt + RETRY_FOR_MS;
    if (left.length === 0) await finishAll('sent');
    else if (now >= giveUpAt) {
      this.#tools.log.error('notification.given-up', {
        teamId: notification.teamId,
        notificationId: notification.id,
      });
      await finishAll('failed');
    } else {
      const pauseMs = PAUSES_MS[Math.min(notification.attempts, PAUSES_MS.length) - 1] ?? 600_000;
      await notifications.keep(batch, left, Math.min(now + pauseMs, giveUpAt));
    }
  }
}

/** @param mayContinue called before each further post; false: stop */
export async function deliverStep(
  tools: SendingTools,
  step: Step,
  message: Message,
  mayContinue?: () => Promise<boolean>,
): Promise<Delivery> {
  if (step.kind === 'post') return postToChannel(tools, step.config, message, mayContinue);
  if (step.kind === 'none') return { kind: 'failed', error: NONE_CONFIRMED };
  const { address, target } = step;
  const stopUrl = isAddress(target) ? tools.stopUrlOf(message.teamId, target.addressId) : undefined;
  return mailTo(tools.mailer, { address, stopUrl }, message);
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

function isAddress(target: NotificationTarget): target is { addressId: string } {
  return typeof target === 'object' && 'addressId' in target;
}

function isMember(target: NotificationTarget): target is { userId: string; asChannel?: true } {
  return typeof target === 'object' && 'userId' in target;
}

function isForChannel(target: NotificationTarget): boolean {
  return (
    target === 'channel' || isAddress(target) || (isMember(target) && target.asChannel === true)
  );
}
