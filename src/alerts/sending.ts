import type { Sender } from '#domain/exchange';
import type { Log } from '#domain/log';
import type { ChannelConfig } from '#domain/notification-channel';
import type { MemberAddress } from '#store/channels';
import type { ClaimedNotice, NoticeTarget } from '#store/notices';
import type { Store } from '#store/store';
import type { Message } from './channels/message.ts';
import { writeMessage } from './compose.ts';
import { mailTo, postToChat } from './deliver.ts';
import type { Mailer } from './mailer.ts';

/** What watches notices: metrics. Quick, and never throws. */
export interface NoticeObserver {
  /** One mail, or one post to a chat, by the channel's kind (`email`, `slack` …). */
  noticeSent(channel: ChannelConfig['kind']): void;
  /** One that failed; it is tried again unless its hour is over. */
  noticeFailed(channel: ChannelConfig['kind']): void;
}

export const unobservedNotices: NoticeObserver = { noticeSent: () => {}, noticeFailed: () => {} };

interface SendingTools {
  store: Store;
  sender: Sender;
  mailer: Mailer;
  log: Log;
  baseUrl: string;
  observer: NoticeObserver;
}

/** Outlives one post or mail with all its time limits. */
const LEASE_MS = 60_000;
const CLAIMED_AT_ONCE = 5;
/** A failing channel is tried again for an hour (D36): after these pauses, and once more at its end. */
const RETRY_FOR_MS = 3_600_000;
const PAUSES_MS = [15_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** One thing to send: to the team's chat, or to one member. */
type Step =
  | { target: NoticeTarget; kind: 'chat'; config: Exclude<ChannelConfig, { kind: 'email' }> }
  | { target: NoticeTarget; kind: 'mail'; address: string };

/** Sends the due notices of a team, one after another. */
export class NoticeSending {
  readonly #tools: SendingTools;
  readonly #store: Store;
  readonly #isStopping: () => boolean;

  constructor(tools: SendingTools, isStopping: () => boolean) {
    this.#tools = tools;
    this.#store = tools.store;
    this.#isStopping = isStopping;
  }

  async tellTeam(teamId: string): Promise<void> {
    const { notices, clock } = this.#store;
    for (;;) {
      const claim = { now: clock.now(), leaseMs: LEASE_MS, most: CLAIMED_AT_ONCE };
      const claimed = await notices.claimDue(teamId, claim);
      for (const notice of claimed) {
        // Given back at once, so that another node need not wait for the lease to end.
        if (this.#isStopping()) await notices.keep(notice, notice.targets, clock.now());
        else await this.#send(notice);
      }
      if (claimed.length < CLAIMED_AT_ONCE || this.#isStopping()) return;
    }
  }

  async #send(notice: ClaimedNotice): Promise<void> {
    const { channels, clock, notices } = this.#store;
    const { config } = await channels.read(notice.teamId);
    const members = await channels.listMemberAddresses(notice.teamId);
    const message = writeMessage(notice, this.#tools.baseUrl);
    const steps = planSteps(notice.targets, config, members);
    let left: NoticeTarget[] = steps.map(({ target }) => target);
    for (const step of steps) {
      // Whoever lost the claim to another may send nothing more.
      if (!(await notices.keep(notice, left, clock.now() + LEASE_MS))) return;
      if (await this.#take(notice, step, message)) {
        left = left.filter((target) => target !== step.target);
      }
    }
    await this.#settle(notice, left);
  }

  /** True once it is sent. */
  async #take(notice: ClaimedNotice, step: Step, message: Message): Promise<boolean> {
    const { sender, mailer, log, observer } = this.#tools;
    const { channels, clock } = this.#store;
    const channel = step.kind === 'chat' ? step.config.kind : 'email';
    const error =
      step.kind === 'chat'
        ? await postToChat(sender, step.config, message)
        : await mailTo(mailer, step.address, message);
    const fields = { teamId: notice.teamId, noticeId: notice.id, channel };
    if (error === null) {
      log.debug('notice.sent', fields);
      observer.noticeSent(channel);
      await channels.recordSent(notice.teamId, clock.now());
    } else {
      log.warn('notice.not-sent', { ...fields, attempt: notice.attempts, error });
      observer.noticeFailed(channel);
      await channels.recordError(notice.teamId, error, clock.now());
    }
    return error === null;
  }

  async #settle(notice: ClaimedNotice, left: readonly NoticeTarget[]): Promise<void> {
    const { notices, clock } = this.#store;
    const now = clock.now();
    const giveUpAt = notice.firstTriedAt + RETRY_FOR_MS;
    if (left.length === 0) await notices.finish(notice, 'sent');
    else if (now >= giveUpAt) {
      this.#tools.log.error('notice.given-up', { teamId: notice.teamId, noticeId: notice.id });
      await notices.finish(notice, 'failed');
    } else {
      const pauseMs = PAUSES_MS[Math.min(notice.attempts, PAUSES_MS.length) - 1] ?? 600_000;
      await notices.keep(notice, left, Math.min(now + pauseMs, giveUpAt));
    }
  }
}

/**
 * Whom to tell, as the team and its channel are now: the chat first, then each member once, even where the
 * team's channel is email and the alert goes to every member besides.
 */
function planSteps(
  targets: readonly NoticeTarget[],
  config: ChannelConfig,
  members: readonly MemberAddress[],
): Step[] {
  const steps: Step[] = [];
  const userIds = new Set<string>();
  for (const target of targets) {
    if (target === 'channel' && config.kind !== 'email') {
      steps.push({ target, kind: 'chat', config });
    } else if (target === 'channel' || target === 'members') {
      for (const { userId } of members) userIds.add(userId);
    } else userIds.add(target.userId);
  }
  const mails = members
    .filter(({ userId }) => userIds.has(userId))
    .map(({ userId, email }): Step => {
      return { target: { userId }, kind: 'mail', address: email };
    });
  return [...steps, ...mails];
}
