import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { isAside } from '#domain/alerts/alert-words';
import type { Log } from '#domain/base/log';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import type { Channel } from '#store/alerts/channels';
import type { ClaimedNotification, NotificationTarget } from '#store/alerts/notifications';
import { createMask } from '#domain/runs/masking';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import type { Store } from '#store/store';
import type { Message } from './channels/message.ts';
import { writeDigest } from './compose-digest.ts';
import { writeMessage } from './compose.ts';
import { deliver, type DeliveryTools } from './deliver.ts';
import { isForChannel, planSteps, type Recipients, type Step } from './steps.ts';

/** Must be quick and never throw. */
export interface NotificationObserver {
  /** For each mail or post. */
  notificationSent(channel: ChannelConfig['kind']): void;
  /** It is retried for an hour. */
  notificationFailed(channel: ChannelConfig['kind']): void;
}

export interface SendingTools extends DeliveryTools {
  log: Log;
  baseUrl: string;
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
const PAUSES_MS = [15_000, 30_000, 60_000, 120_000, 300_000];
const LONGEST_PAUSE_MS = 600_000;

const ADDRESS_LOST =
  "the stored address of the channel can't be opened with this APP_KEY, so members are told by email; save the channel anew";

/**
 * Notifications with the same key are one message. A deleted channel is replaced by the default, so the channel is
 * part of the key.
 */
function batchKeyOf({ batchId, channelId, id }: ClaimedNotification): string {
  return batchId === null ? id : `${batchId} ${channelId}`;
}

type Batch = readonly [ClaimedNotification, ...ClaimedNotification[]];

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

/** Sends the due notifications of a team. */
export async function notifyTeam(
  tools: SendingTools,
  teamId: string,
  isStopping: () => boolean,
): Promise<void> {
  const { notifications, clock } = tools.store;
  for (;;) {
    const claim = { now: clock.now(), leaseMs: LEASE_MS, most: CLAIMED_AT_ONCE };
    const claimed = await notifications.claimDue(teamId, claim);
    const batches = Map.groupBy(claimed, batchKeyOf);
    for (const [first, ...others] of batches.values()) {
      if (!first) continue;
      if (isStopping()) await giveBack(tools.store, [first, ...others]);
      else await send(tools, [first, ...others]);
    }
    if (claimed.length < CLAIMED_AT_ONCE || isStopping()) return;
  }
}

/** Releases the claim, so that other nodes needn't wait for the lease. */
async function giveBack({ notifications, clock }: Store, batch: Batch): Promise<void> {
  for (const notification of batch)
    await notifications.keep([notification], notification.targets, clock.now());
}

/** The default replaces a deleted channel. */
async function send(tools: SendingTools, batch: Batch): Promise<void> {
  const [notification] = batch;
  const { teamId, channelId } = notification;
  const { channels, notifications } = tools.store;
  const named = await channels.find(teamId, channelId ?? DEFAULT_REF);
  // PagerDuty has an incident for each alert.
  if (batch.length > 1 && (named === null || named.config.kind === 'pagerduty')) {
    for (const each of batch) await send(tools, [each]);
    return;
  }
  const isReplaced = named === null && (await notifications.fallBack(notification));
  const channel = isReplaced ? await channels.find(teamId, DEFAULT_REF) : named;
  if (channel === null) await notifications.finish(notification, 'sent');
  else await sendTo(tools, batch, channel);
}

async function sendTo(tools: SendingTools, batch: Batch, channel: Channel): Promise<void> {
  const [notification] = batch;
  const { channels, clock, notifications } = tools.store;
  const { config, isAddressLost } = channel;
  const onlyVerified = tools.mailer.sends;
  const members = await channels.listMemberAddresses(notification.teamId, { onlyVerified });
  const message = await write(tools, batch);
  const steps = planSteps(recipientsOf(batch), channel, members);
  let left: NotificationTarget[] = steps.map(({ target }) => target);
  let hasSent = false;
  let channelError = isAddressLost ? ADDRESS_LOST : null;
  for (const step of steps) {
    // A node that lost the claim must not send more.
    let isOurs = true;
    const mayContinue = async () =>
      (isOurs = await notifications.keep(batch, left, clock.now() + LEASE_MS));
    if (!(await mayContinue())) return;
    const error = await take(tools, notification, { step, message, mayContinue });
    if (!isOurs) return;
    if (error === null) left = left.filter((target) => target !== step.target);
    // Emails to members don't show whether the chat works.
    if (config.kind !== 'email' && !isForChannel(step.target)) continue;
    if (error === null) hasSent = true;
    else channelError ??= error;
  }
  const now = clock.now();
  // Recorded last: if a step failed, the channel counts as failing.
  if (hasSent || channelError !== null)
    await channels.record(notification.teamId, channel.id, {
      ...(hasSent && { last_sent_at: now }),
      ...(channelError !== null && { last_error: channelError, last_error_at: now }),
    });
  await settle(tools, batch, left);
}

async function write(
  { store, baseUrl, isSecretHeader: isSecret, maskedFields = [] }: SendingTools,
  [notification, ...others]: Batch,
): Promise<Message> {
  const settings = await store.teams.readSettings(notification.teamId);
  const mask = createMask([...maskedFields, ...settings.maskedFields]);
  const writeOne = (each: ClaimedNotification) =>
    writeMessage({ ...each, notificationId: each.groupId }, baseUrl, { isSecret, mask });
  const first = writeOne(notification);
  return others.length === 0 ? first : writeDigest([first, ...others.map(writeOne)], baseUrl);
}

interface Task {
  step: Step;
  message: Message;
  mayContinue: () => Promise<boolean>;
}

/** @returns null, or the error */
async function take(
  tools: SendingTools,
  notification: ClaimedNotification,
  { step, message, mayContinue }: Task,
): Promise<string | null> {
  const { log, observer, store } = tools;
  const channel = step.kind === 'post' ? step.config.kind : 'email';
  const sent =
    channel === 'pagerduty' ? await withoutRecovered(store, notification, message) : message;
  const delivery = await deliver(tools, step, sent, mayContinue);
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
async function withoutRecovered(
  { alerts }: Store,
  { teamId, alert }: ClaimedNotification,
  message: Message,
): Promise<Message> {
  const { details } = message;
  if (message.level === 'recovery' || details === null) return message;
  const ids = details.subjects.map(({ id }) => id);
  const over = await alerts.listRecoveredSince(teamId, ids, alert);
  const subjects = details.subjects.filter(({ id }) => !over.has(id));
  return { ...message, details: { ...details, subjects } };
}

async function settle(
  { store: { clock, notifications }, log }: SendingTools,
  batch: Batch,
  left: readonly NotificationTarget[],
): Promise<void> {
  const [{ teamId, id, attempts, firstTriedAt }] = batch;
  const now = clock.now();
  const giveUpAt = firstTriedAt + RETRY_FOR_MS;
  if (left.length > 0 && now < giveUpAt) {
    const pauseMs = PAUSES_MS[attempts - 1] ?? LONGEST_PAUSE_MS;
    await notifications.keep(batch, left, Math.min(now + pauseMs, giveUpAt));
    return;
  }
  if (left.length > 0) log.error('notification.given-up', { teamId, notificationId: id });
  for (const each of batch) await notifications.finish(each, left.length > 0 ? 'failed' : 'sent');
}
