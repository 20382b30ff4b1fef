import type { Sender } from '#domain/http/exchange';
import { judgeExchange } from '#domain/judging/judge';
import type { PostedChannel } from '#domain/alerts/notification-channel';
import { buildPost } from '#domain/http/request';
import { signRequest } from '#domain/http/signature';
import { formatMail } from './channels/email.ts';
import type { Message } from './channels/message.ts';
import type { Post } from './channels/post.ts';
import { postsOf } from './channels/registry.ts';
import type { Store } from '#store/store';
import type { Mailer } from './mailer.ts';

const POST_TIMEOUT_SECONDS = 10;
const LOST = 'another node sends it now';
/** Nothing is sent unsigned. */
const SECRET_LOST = "the team's signing secret can't be opened";

/** `logged`: without a mail server, the mail was logged (§5.7). */
export type Delivery = { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };

interface PostTools {
  store: Store;
  sender: Sender;
}

/**
 * With the network rules of targets (§6.5). Webhooks are signed, chats and services aren't (§5.6).
 *
 * The error text never contains the channel's address, which is a secret.
 * @param mayContinue called before each further post; false: stop
 */
export async function postToChannel(
  tools: PostTools,
  channel: PostedChannel,
  message: Message,
  mayContinue?: () => Promise<boolean>,
): Promise<Delivery> {
  for (const [n, post] of postsOf(channel, message).entries()) {
    if (n > 0 && (await mayContinue?.()) === false) return { kind: 'failed', error: LOST };
    const delivery = await sendPost(tools, message.teamId, post);
    if (delivery.kind !== 'sent') return delivery;
  }
  return { kind: 'sent' };
}

async function sendPost(
  { store, sender }: PostTools,
  teamId: string,
  post: Post,
): Promise<Delivery> {
  const request = buildPost(post.url, JSON.stringify(post.body), post.headers);
  let secret: string | null = null;
  try {
    if (post.isSigned) secret = (await store.teams.readSigningSecret(teamId))?.secret ?? null;
  } catch {
    return { kind: 'failed', error: SECRET_LOST };
  }
  const exchange = await sender.send(signRequest(request, secret, store.clock.now()), {
    timeoutSeconds: POST_TIMEOUT_SECONDS,
  });
  const verdict = judgeExchange(exchange, [], 'job');
  if (verdict.ok) return { kind: 'sent' };
  return { kind: 'failed', error: verdict.errorMessage ?? 'Unknown error' };
}

interface Recipient {
  address: string;
  /** Where a recipient who isn't a member stops these mails. */
  stopUrl?: string | undefined;
}

export async function mailTo(
  mailer: Mailer,
  { address, stopUrl }: Recipient,
  message: Message,
): Promise<Delivery> {
  const content = formatMail(message, stopUrl);
  const mail = { to: address, ...content, link: message.link.url, stopUrl };
  const outcome = await mailer.send(mail);
  if (outcome.kind !== 'failed') return outcome;
  return { kind: 'failed', error: `The mail to ${address} was not accepted: ${outcome.error}.` };
}
