import type { Sender } from '#domain/http/exchange';
import { judgeExchange } from '#domain/judging/judge';
import { buildPost } from '#domain/http/request';
import { signRequest } from '#domain/http/signature';
import { formatMail } from './channels/email.ts';
import type { Message } from './channels/message.ts';
import type { Post } from './channels/post.ts';
import { postsOf } from './channels/registry.ts';
import type { Store } from '#store/store';
import type { Mailer } from './mailer.ts';
import { isAddress, type Step } from './steps.ts';

const POST_TIMEOUT_SECONDS = 10;
const LOST = 'another node sends it now';
/** Nothing is sent unsigned. */
const SECRET_LOST = "the team's signing secret can't be opened";
const NONE_CONFIRMED = 'no address of the channel is confirmed';

/** `logged`: without a mail server, the mail was logged (§5.7). */
export type Delivery = { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };

export interface DeliveryTools {
  store: Store;
  sender: Sender;
  mailer: Mailer;
  /** Where the recipient of an address stops its mails. */
  stopUrlOf: (teamId: string, addressId: string) => string;
}

/**
 * With the network rules of targets (§6.5). Webhooks are signed, chats and services aren't (§5.6).
 *
 * The error text never contains the channel's address, which is a secret.
 * @param mayContinue called before each further post; false: stop
 */
export async function deliver(
  tools: DeliveryTools,
  step: Step,
  message: Message,
  mayContinue?: () => Promise<boolean>,
): Promise<Delivery> {
  if (step.kind === 'none') return { kind: 'failed', error: NONE_CONFIRMED };
  if (step.kind === 'mail') return sendMail(tools, step, message);
  for (const [n, post] of postsOf(step.config, message).entries()) {
    if (n > 0 && (await mayContinue?.()) === false) return { kind: 'failed', error: LOST };
    const delivery = await sendPost(tools, message.teamId, post);
    if (delivery.kind !== 'sent') return delivery;
  }
  return { kind: 'sent' };
}

async function sendPost(
  { store, sender }: DeliveryTools,
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

async function sendMail(
  { mailer, stopUrlOf }: DeliveryTools,
  { address, target }: Extract<Step, { kind: 'mail' }>,
  message: Message,
): Promise<Delivery> {
  const stopUrl = isAddress(target) ? stopUrlOf(message.teamId, target.addressId) : undefined;
  const content = formatMail(message, stopUrl);
  const outcome = await mailer.send({ to: address, ...content, link: message.link.url, stopUrl });
  if (outcome.kind !== 'failed') return outcome;
  return { kind: 'failed', error: `The mail to ${address} was not accepted: ${outcome.error}.` };
}
