import type { Sender } from '#domain/exchange';
import { judgeExchange } from '#domain/judge';
import type { PostedChannel } from '#domain/notification-channel';
import { dropFragment } from '#domain/query';
import { withDefaultHeaders } from '#domain/request';
import { formatMail } from './channels/email/email.ts';
import type { Message } from './channels/message.ts';
import { CHAT_FORMATS } from './channels/registry.ts';
import type { Mailer } from './mailer.ts';

const POST_TIMEOUT_SECONDS = 10;

/** What came of one post or mail. `logged`: a mail that stands in the log, where none can leave (§5.7). */
export type Delivery = { kind: 'sent' } | { kind: 'logged' } | { kind: 'failed'; error: string };

/**
 * Posts a message to a team's chat: unsigned (§5.6), and under the same network rules as a target (§6.5).
 *
 * What went wrong is said without the address, which is a secret.
 */
export async function postToChat(
  sender: Sender,
  { kind, url }: PostedChannel,
  message: Message,
): Promise<Delivery> {
  const body = JSON.stringify(CHAT_FORMATS[kind].formatPost(message));
  const exchange = await sender.send(
    {
      method: 'POST',
      url: dropFragment(url),
      headers: withDefaultHeaders([], true),
      body: Buffer.from(body, 'utf8'),
    },
    { timeoutSeconds: POST_TIMEOUT_SECONDS, needs: { searchFor: [], paths: [] } },
  );
  const verdict = judgeExchange(exchange, [], 'job');
  if (verdict.ok) return { kind: 'sent' };
  return { kind: 'failed', error: verdict.errorMessage ?? 'Unknown error' };
}

export async function mailTo(mailer: Mailer, address: string, message: Message): Promise<Delivery> {
  const mail = { to: address, ...formatMail(message), link: message.link.url };
  const outcome = await mailer.send(mail);
  if (outcome.kind !== 'failed') return outcome;
  return { kind: 'failed', error: `The mail to ${address} was not accepted: ${outcome.fault}.` };
}
