import type { Sender } from '#domain/exchange';
import { judgeExchange } from '#domain/judge';
import type { ChannelConfig } from '#domain/notification-channel';
import { dropFragment } from '#domain/query';
import { withDefaultHeaders } from '#domain/request';
import { formatMail } from './channels/email/email.ts';
import type { Message } from './channels/message.ts';
import { CHAT_FORMATS } from './channels/registry.ts';
import type { Mailer } from './mailer.ts';

const POST_TIMEOUT_SECONDS = 10;

/**
 * Posts a message to a team's chat: unsigned (§5.6), and under the same network rules as a target (D36).
 *
 * @returns null once the chat has taken it, else what went wrong, without the address, which is a secret
 */
export async function postToChat(
  sender: Sender,
  { kind, url }: Exclude<ChannelConfig, { kind: 'email' }>,
  message: Message,
): Promise<string | null> {
  const body = JSON.stringify(CHAT_FORMATS[kind].formatPost(message));
  const exchange = await sender.send(
    {
      method: 'POST',
      url: dropFragment(url),
      headers: withDefaultHeaders([], true),
      body: Buffer.from(body, 'utf8'),
    },
    { timeoutSeconds: POST_TIMEOUT_SECONDS, needs: { searchFor: [], whole: false } },
  );
  const verdict = judgeExchange(exchange, [], 'job');
  return verdict.ok ? null : (verdict.errorMessage ?? 'Unknown error');
}

/** @returns null once the mail is on its way, or in the log where none can leave; else what went wrong */
export async function mailTo(
  mailer: Mailer,
  address: string,
  message: Message,
): Promise<string | null> {
  const mail = { to: address, ...formatMail(message), link: message.link.url };
  const isTaken = await mailer.send(mail);
  return isTaken || !mailer.sends ? null : `The mail to ${address} was not accepted`;
}
