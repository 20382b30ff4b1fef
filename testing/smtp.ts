import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { callbackify } from 'node:util';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { Inbox, type WaitLimit } from './inbox.ts';

export interface ReceivedMail {
  /** The sender and recipients of the envelope, which is what counts for delivery. */
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** Headers in order, names in lower case, values decoded. */
  headers: readonly { key: string; value: string }[];
  raw: string;
}

/**
 * The server's answer to a step of a mail: null to accept, else a refusal such as `{ code: 550, text: 'no such user'
 * }`.
 */
type SmtpVerdict = { code: number; text: string } | null;

interface SmtpOptions {
  /** If given, only this user may send. */
  user?: { name: string; password: string };
}

export interface SmtpReceiver extends AsyncDisposable {
  /** As SMTP_URL takes it. */
  url: string;
  mails: readonly ReceivedMail[];
  next(isWanted?: (mail: ReceivedMail) => boolean, limit?: WaitLimit): Promise<ReceivedMail>;
  waitFor(count: number, limit?: WaitLimit): Promise<ReceivedMail[]>;
  /** Decides from now on about each recipient. Default: all are accepted. */
  judgeRecipients(judge: (address: string) => SmtpVerdict): void;
  /** Decides from now on about each whole mail, after it was sent; a refused one is not kept. */
  judgeMails(judge: (mail: ReceivedMail) => SmtpVerdict | Promise<SmtpVerdict>): void;
  close(): Promise<void>;
}

export async function startSmtpServer({ user }: SmtpOptions = {}): Promise<SmtpReceiver> {
  const inbox = new Inbox<ReceivedMail>('mails', ({ to, subject }) => `${to.join()}: ${subject}`);
  let judgeRecipient: (address: string) => SmtpVerdict = () => null;
  let judgeMail: (mail: ReceivedMail) => SmtpVerdict | Promise<SmtpVerdict> = () => null;
  const server = new SMTPServer({
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 10,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === user?.name && password === user?.password) done(null, { user: username });
      else done(refusal({ code: 535, text: 'Invalid username or password' }));
    },
    onRcptTo: ({ address }, _session, done) => done(refusal(judgeRecipient(address))),
    onData: (stream, session, done) => {
      const judge = async () => {
        const mail = await readMail(stream, session);
        const verdict = await judgeMail(mail);
        if (verdict === null) inbox.add(mail);
        return refusal(verdict);
      };
      callbackify(judge)((error, refused) => done(error ?? refused));
    },
  });
  // Clients may break off.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const login =
    user === undefined
      ? ''
      : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    mails: inbox.items,
    next: (isWanted, limit) => inbox.next(isWanted, limit),
    waitFor: (count, limit) => inbox.waitFor(count, limit),
    judgeRecipients: (judge) => {
      judgeRecipient = judge;
    },
    judgeMails: (judge) => {
      judgeMail = judge;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refusal(verdict: SmtpVerdict): Error | null {
  return verdict && Object.assign(new Error(verdict.text), { responseCode: verdict.code });
}

async function readMail(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<ReceivedMail> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const { subject = '', text = '', html = '', headers } = await PostalMime.parse(raw);
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    subject,
    text,
    html,
    headers,
    raw: raw.toString('latin1'),
  };
}
